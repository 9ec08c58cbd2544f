/** A value in which everything may be missing that had a mistake. */
export type Partly<T> = T extends readonly (infer Item)[]
  ? readonly (Partly<Item> | undefined)[]
  : T extends object
    ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
    : T;

/** Takes a mistake: its field and what is wrong, the end of a sentence that begins with the field. */
export type Report = (field: string, message: string) => void;
