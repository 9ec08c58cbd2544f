// The one place that takes in what proto/build.mjs makes of the .proto files.
export * from '../../proto/messages.js';
