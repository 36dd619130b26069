import type { Bindings } from "../operators/where.ts";
import type { Progress, Waiting } from "./matcher.ts";
import type { Occurrence } from "./occurrence.ts";
import { countSeen } from "./repetition.ts";
import { type BlockState, type LeafState, listUses, type NodeState, usesOf } from "./state.ts";

/** How far one run has come; the root block's only chain is the outer list. */
export function progressOf(root: BlockState, bindings: Bindings): Progress {
  const [chain] = root.chains;
  const node = chain?.node;
  const uses = usesOf(root);
  return {
    position: chain?.position ?? 0,
    part: node === undefined ? 0 : partOf(node),
    uses,
    waiting: node === undefined ? undefined : waitingIn(node, bindings, listUses(chain?.uses).at(-1)?.event),
  };
}

function partOf(state: NodeState): number {
  if (state.kind === "leaf") return countSeen(state) / state.plan.repeat;
  const parts = state.chains.map(({ list, position, node }) =>
    list.length === 0 ? 0 : (position + (node === undefined ? 0 : partOf(node))) / list.length,
  );
  const round = parts.reduce((sum, part) => sum + part, 0) / Math.max(1, parts.length);
  return (state.rounds + Math.min(round, 0.999)) / state.plan.repeat;
}

function waitingIn(state: NodeState, bindings: Bindings, after: Occurrence | undefined): Waiting | undefined {
  if (state.kind === "leaf") return { leaf: state.plan, bindings, repetitions: repetitionsOf(state), after };
  const open = state.chains.find(({ node }) => node !== undefined);
  const last = listUses(open?.uses).at(-1)?.event ?? listUses(state.uses).at(-1)?.event ?? after;
  return open?.node === undefined ? undefined : waitingIn(open.node, bindings, last);
}

function repetitionsOf({ pinned, absorbed, plan }: LeafState): Occurrence[] {
  const seen = pinned === undefined ? absorbed : [pinned, ...absorbed];
  return seen.slice(0, plan.repeat - 1).map(({ event }) => event);
}
