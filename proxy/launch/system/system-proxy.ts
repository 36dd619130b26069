import type { Command, RunCommand } from "./command-runner.ts";

/** Address of a proxy on this machine. */
export interface ProxyPlace {
  readonly host: string;
  readonly port: number;
}

/** The proxy settings of one operating system or desktop, which apps that ignore the variables follow. */
export interface SystemProxy {
  /** Whose settings they are, in words. */
  readonly what: string;
  /** What to run so that apps use the proxy, and what puts back what is set now. Rejects when the settings cannot be read. */
  plan(run: RunCommand, place: ProxyPlace): Promise<SystemPlan>;
  /** True while the settings still name this proxy; then, and only then, they are ours to put back. */
  isSet(run: RunCommand, place: ProxyPlace): Promise<boolean>;
}

export interface SystemPlan {
  readonly set: readonly Command[];
  readonly restore: readonly Command[];
}
