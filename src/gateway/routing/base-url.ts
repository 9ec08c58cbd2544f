import type { RuntimeConfig } from '../config/index.js';
import { runtimeKinds } from '../runtimes/index.js';

/** Where the API of a runtime begins; some kinds have theirs below a path, which discovery writes and people may leave out. */
export function toRuntimeBaseUrl({ baseUrl, kind }: RuntimeConfig): string {
  const { basePath } = runtimeKinds[kind];
  return baseUrl.endsWith(basePath) ? baseUrl : baseUrl + basePath;
}
