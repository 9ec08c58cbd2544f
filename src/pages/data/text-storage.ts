/** The used part of the browser's text storage. */
export interface TextStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** The text stored under `key`; undefined if there is none, or if the browser refuses. */
export function readKept(storage: TextStorage | undefined, key: string): string | undefined {
  try {
    return storage?.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text; undefined removes it. False: the browser refused, as without free space. */
export function keepText(storage: TextStorage | undefined, key: string, text: string | undefined): boolean {
  try {
    if (text === undefined) storage?.removeItem(key);
    else storage?.setItem(key, text);
    return storage !== undefined;
  } catch {
    return false;
  }
}
