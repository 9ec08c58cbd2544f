/** A value without the parts that had a mistake. */
export type Partly<T> = T extends readonly (infer Item)[]
  ? readonly (Partly<Item> | undefined)[]
  : T extends object
    ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
    : T;

/** Takes a mistake: its field, and the end of a sentence that begins with the field. */
export type Report = (field: string, message: string) => void;
