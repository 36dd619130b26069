/** The part of the WebAssembly API that is used: TypeScript declares it only together with a browser's. */
// biome-ignore lint/style/noNamespace: it is one
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum?: number; readonly shared?: boolean });
    readonly buffer: ArrayBuffer | SharedArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
  class CompileError extends Error {}
}
