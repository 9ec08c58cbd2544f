// The part of the WebAssembly JavaScript API that Node has and @types/node 20 does not declare; the `dom` library
// would bring a browser's globals with it. Source: W3C WebAssembly JavaScript Interface.

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand: 'Module';
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBufferLike;
    grow(pages: number): number;
  }
}
