import { type Account, accountOfBatch, accountOfResults, type Outcome } from "../account.ts";
import { agentText } from "../agent-text.ts";
import type { Reporter } from "../reporter.ts";
import { xmlAttribute, xmlText } from "../xml.ts";

/**
 * JUnit XML as Jenkins and most CI systems read it (the junit-10 schema of Jenkins' xunit plugin): a suite per scenario, a
 * case per run. A run that failed is a failure, one that could not be graded an error; where the gate is met all the same
 * they are flaky, so that a green gate does not show red.
 */
export const junit: Reporter = {
  name: "junit",
  describe: "JUnit XML: a suite per scenario, a case per run; flaky failures when the gate is met",
  create: ({ write }) => ({
    onEnd: (document) => write(xmlOf(accountOfResults(document))),
    onBatch: (document) => write(xmlOf(accountOfBatch(document))),
  }),
};

function xmlOf(account: Account): string {
  const { outcomes } = account;
  const scenarios = [...new Set(outcomes.map(({ scenario }) => scenario))];
  const suites = scenarios.flatMap((scenario) =>
    suiteOf(
      scenario,
      outcomes.filter((outcome) => outcome.scenario === scenario),
      account,
    ),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="waymark"${countsOf(outcomes)} time="${seconds(outcomes)}">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

function suiteOf(scenario: string, outcomes: readonly Outcome[], { started_at, gate }: Account): readonly string[] {
  const skipped = outcomes.filter(({ verdict }) => verdict === "interrupted").length;
  const timestamp = started_at === undefined ? "" : ` timestamp="${xmlAttribute(started_at)}"`;
  const source = outcomes.find(({ result }) => result !== undefined)?.result;
  const properties = [
    ...(gate === undefined ? [] : [["gate", gate.words] as const]),
    ...(source === undefined ? [] : [["markers_sha256", source.markers_sha256] as const]),
  ];
  return [
    `  <testsuite name="${xmlAttribute(scenario)}"${countsOf(outcomes)} skipped="${skipped}" time="${seconds(outcomes)}"${timestamp}>`,
    "    <properties>",
    ...properties.map(([name, value]) => `      <property name="${name}" value="${xmlAttribute(value)}"/>`),
    "    </properties>",
    ...outcomes.flatMap(caseOf),
    "  </testsuite>",
  ];
}

/** What a met gate forgives counts neither as failure nor as error. */
function countsOf(outcomes: readonly Outcome[]): string {
  const counted = outcomes.filter(({ forgiven }) => !forgiven);
  const failures = counted.filter(({ verdict }) => verdict === "fail").length;
  const errors = counted.filter(({ verdict }) => verdict === "error" || verdict === "inconclusive").length;
  return ` tests="${outcomes.length}" failures="${failures}" errors="${errors}"`;
}

function caseOf(outcome: Outcome): readonly string[] {
  const { label, scenario, duration_ms: ms, attachments } = outcome;
  const time = ms === undefined ? "" : ` time="${(ms / 1000).toFixed(3)}"`;
  const head = `    <testcase name="${xmlAttribute(label)}" classname="${xmlAttribute(scenario)}"${time}`;
  const body = [
    ...troubleOf(outcome),
    ...(attachments.length === 0
      ? []
      : [`      <system-out>${attachments.map((path) => `[[ATTACHMENT|${xmlText(path)}]]`).join("\n")}</system-out>`]),
  ];
  return body.length === 0 ? [`${head}/>`] : [`${head}>`, ...body, "    </testcase>"];
}

function troubleOf({ verdict, forgiven, reason, missing, result }: Outcome): readonly string[] {
  if (verdict === "pass") return [];
  const message = `message="${xmlAttribute(reason)}"`;
  if (verdict === "interrupted") return [`      <skipped ${message}/>`];
  const isFailure = verdict === "fail";
  const element = isFailure ? (forgiven ? "flakyFailure" : "failure") : forgiven ? "flakyError" : "error";
  const type = isFailure ? (missing === undefined ? "broken_rule" : "missed_marker") : verdict;
  const text = result === undefined ? reason : agentText(result).slice(2).join("\n");
  return [`      <${element} type="${type}" ${message}>${xmlText(text)}</${element}>`];
}

function seconds(outcomes: readonly Outcome[]): string {
  return (outcomes.reduce((sum, { duration_ms: ms = 0 }) => sum + ms, 0) / 1000).toFixed(3);
}
