/** Interprets a search text by its form: the id of a key, the code of an error, or else the id of a request. */
export function readSearch(text: string): Readonly<Record<string, string>> {
  if (text === '') return {};
  if (text.startsWith('vk_')) return { key_id: text };
  return /^[a-z]+(?:_[a-z]+)+$/.test(text) ? { error_code: text } : { request_id: text };
}
