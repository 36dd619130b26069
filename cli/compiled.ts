import * as nodeModule from "node:module";

/**
 * From now on what is compiled is kept for the next start, in the system's folder for temporary files, where Node can do
 * that: from version 22 on. Has to come before what it is for is loaded. `NODE_DISABLE_COMPILE_CACHE=1` switches it off.
 */
export function keepCompiled(): void {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };
  enableCompileCache?.();
}
