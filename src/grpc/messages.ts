// The only file that imports the code which proto/build.mjs generates from the .proto files.
export * from '../../proto/messages.js';
