/** What is wrong with a JSONPath text, and at which character; undefined when it is a valid query. */
export function checkJsonPath(_text: string): { readonly why: string; readonly at: number } | undefined {
  return undefined;
}
