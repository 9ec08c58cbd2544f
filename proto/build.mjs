/**
 * Makes static code of the .proto files: dist/proto/messages.js with codecs, service tables and the descriptors that reflection
 * hands out, and its types in dist/proto and beside this file, where the compiler finds them from the sources.
 *
 * Codecs are protobufjs's own, made stricter where a server needs it: texts must be UTF-8, one message may have only so many
 * sub-messages and texts, and integers of 64 bits are numbers where a double holds them, else bigints.
 */

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describeFiles } from './describe-files.mjs';
import { STRICT } from './strict-reader.mjs';
import { writeTypes } from './write-types.mjs';

const require = createRequire(import.meta.url);
const protobuf = require('protobufjs');
const pbjs = promisify(require('protobufjs-cli/pbjs').main);

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, '..', 'dist', 'proto');
const listed = await readdir(here, { recursive: true });
const files = listed.filter((name) => name.endsWith('.proto')).map((name) => name.replaceAll('\\', '/'));
files.sort();

const root = new protobuf.Root();
const plain = protobuf.common.get;
root.resolvePath = (_, target) => (plain(target) === null ? join(here, target) : target);
await root.load(files, { keepCase: true, alternateCommentMode: true });
root.resolveAll();

const flags = ['create', 'verify', 'convert', 'delimited', 'service', 'comments', 'typeurl'].map(
  (name) => `--no-${name}`,
);
const code = await pbjs([
  '--target=static-module',
  '--wrap=es6',
  '--es6',
  '--keep-case',
  '--dependency=protobufjs/minimal.js',
  '--root=troupe',
  `--path=${here}`,
  ...flags,
  ...files.map((file) => join(here, file)),
]);

const services = root.nestedArray.flatMap(function servicesOf(found) {
  if (found instanceof protobuf.Service) return [found];
  return found.nestedArray === undefined ? [] : found.nestedArray.flatMap(servicesOf);
});
const descriptors = describeFiles(protobuf, root, here, files);
await mkdir(out, { recursive: true });
await writeFile(join(out, 'messages.js'), [tighten(code), toTables(services), toDescriptors(descriptors)].join('\n'));
const types = writeTypes(protobuf, root, services);
await writeFile(join(out, 'messages.d.ts'), types);
await writeFile(join(here, 'messages.d.ts'), types);

/** Replaces all of `from` in generated code; without any, the generator has changed and this script must follow. */
function replaceAll(text, from, to) {
  if (!text.includes(from)) throw new Error(`the generated code has no ${from}: look at what protobufjs-cli makes now`);
  return text.replaceAll(from, to);
}

/** The generated codecs with the limits of `strict-reader.mjs`. */
function tighten(generated) {
  let text = generated.replace(/\$root = \$protobuf\.roots\[[^\n]*\n/, '$root = {};\n');
  if (text === generated)
    throw new Error('the generated code keeps its root elsewhere: look at what protobufjs-cli makes now');
  // A namespace of CommonJS has what Node could tell of its names; its default has all.
  text = replaceAll(text, 'import * as $protobuf from', 'import $protobuf from');
  text = replaceAll(text, 'reader.string()', '$text(reader)');
  text = replaceAll(text, 'message = new $root.', '$count(reader), message = new $root.');
  text = replaceAll(text, 'reader.int64()', '$wide(reader.int64())');
  text = replaceAll(text, 'reader.uint64()', '$wide(reader.uint64())');
  text = text.replaceAll(/\.(u?int64)\((message\.\w+)\)/g, '.$1($narrow($2))');
  return `${STRICT}${text}`;
}

/** A table for each service: its methods as @grpc/grpc-js wants them. */
function toTables(all) {
  const tables = all.map((service) => {
    const name = service.fullName.slice(1);
    const methods = service.methodsArray.map((method) => {
      const [request, response] = [method.resolvedRequestType, method.resolvedResponseType].map(
        (type) => `$root${type.fullName}`,
      );
      return `  ${method.name}: $method(${JSON.stringify(`/${name}/${method.name}`)}, ${request}, ${response}, ${
        method.requestStream === true
      }, ${method.responseStream === true}),`;
    });
    return `  ${JSON.stringify(name)}: {\n${methods.join('\n')}\n  },`;
  });
  return `export const services = {\n${tables.join('\n')}\n};`;
}

function toDescriptors(described) {
  const lines = described.map(({ name, bytes, imports, symbols }) => {
    const fields = `bytes: Buffer.from('${bytes.toString('base64')}', 'base64'), imports: ${JSON.stringify(imports)}`;
    return `  ${JSON.stringify(name)}: { ${fields}, symbols: ${JSON.stringify(symbols)} },`;
  });
  return `export const files = {\n${lines.join('\n')}\n};\n`;
}
