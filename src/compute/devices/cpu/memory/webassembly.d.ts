// The part of the WebAssembly JavaScript API that Node has and @types/node 20 does not declare. The `dom` library would
// bring a browser's globals with it. Source: W3C WebAssembly JavaScript Interface.

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand: 'Module';
    static customSections(module: Module, name: string): ArrayBuffer[];
    static exports(module: Module): { name: string; kind: string }[];
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
  class RuntimeError extends Error {}
  class CompileError extends Error {}
  class LinkError extends Error {}
  function compile(bytes: Uint8Array): Promise<Module>;
  function validate(bytes: Uint8Array): boolean;
}
