/** What generated codecs call beside protobufjs: text that the build puts before them. */
export const STRICT = `
const $utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Sub-messages and texts of one message: as many as a body of JSON may have of objects, arrays and strings. */
const $MAX_NODES = 1 << 16;
function $count(reader) {
  reader.nodes = (reader.nodes ?? 0) + 1;
  if (reader.nodes > $MAX_NODES) throw new RangeError('more than ' + $MAX_NODES + ' messages and texts');
}
function $text(reader) {
  $count(reader);
  return $utf8.decode(reader.bytes());
}
function $wide(value) {
  if (typeof value === 'number') return value;
  const exact = BigInt(value.toString());
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}
function $narrow(value) {
  return typeof value === 'bigint' ? value.toString() : value;
}
function $method(path, request, response, requestStream, responseStream) {
  const serialize = (type) => (value) => type.encode(value).finish();
  const deserialize = (type) => (bytes) => type.decode(bytes);
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: serialize(request),
    requestDeserialize: deserialize(request),
    responseSerialize: serialize(response),
    responseDeserialize: deserialize(response),
  };
}
`;
