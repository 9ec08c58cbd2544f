// The only importer of the code that proto/build.mjs generates from the .proto files.
export * from '../../proto/messages.js';
