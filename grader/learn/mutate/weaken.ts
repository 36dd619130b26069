import type { MarkerNode, Scenario } from "../../scenario/ast.ts";

/**
 * The scenario with one marker optional, and with what is behind it no longer measured from it: weaker than the
 * scenario itself, and weaker by nothing but this marker. A run that the scenario fails and this one does not was failed
 * because of the marker.
 */
export function withoutMarker(scenario: Scenario, name: string): Scenario {
  let isBehind = false;
  const weaken = (node: MarkerNode): MarkerNode => {
    const isMeant = node.name === name;
    const { withinMs, without, ...bare } = node;
    const loose = { ...bare, immediately: false } as MarkerNode;
    const own: MarkerNode = isBehind ? loose : node;
    if (isMeant) isBehind = true;
    const inner = own.kind === "marker" ? own : { ...own, lists: own.lists.map((list) => list.map(weaken)) };
    return isMeant ? { ...inner, optional: true } : inner;
  };
  return { ...scenario, markers: scenario.markers.map(weaken) };
}
