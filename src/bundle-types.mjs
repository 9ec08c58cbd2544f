// Makes one declaration file of each entry of the package: what its exports need, and nothing of what lies behind. So a
// program's compiler reads no declaration of a room, of a dependency or of a browser, and what is public is seen at a glance.

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** The one library beside the compiler's own that the declarations name: `AsyncDisposable`. */
const HEAD = '/// <reference lib="esnext.disposable" />\n';
/** Kinds of nodes whose identifier in that field is a name of its own, and no use of one. */
const OWN_NAMES = {
  TSPropertySignature: 'key',
  TSMethodSignature: 'key',
  PropertyDefinition: 'key',
  MethodDefinition: 'key',
  TSAbstractMethodDefinition: 'key',
  TSAbstractPropertyDefinition: 'key',
  Property: 'key',
  TSQualifiedName: 'right',
  TSNamedTupleMember: 'label',
  TSTypeParameter: 'name',
  TSTypePredicate: 'parameterName',
  TSMappedType: 'key',
};

const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const modules = new Map();
await rm(join(root, 'dist/types'), { recursive: true, force: true });
for (const { types, default: code } of Object.values(exports)) {
  if (types === undefined) continue;
  const target = join(root, types);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, await bundle(join(root, code.replace(/\.js$/, '.d.ts'))));
}

/** The text of one entry: declarations in the order in which they are met, then what of them is exported. */
async function bundle(entry) {
  const taken = [];
  const names = new Map();
  const exported = [];
  const take = (declaration) => {
    if (names.has(declaration)) return;
    if (declaration.isTwin) throw new Error(`${declaration.file}: ${declaration.name} is a value and a type; name one`);
    const used = new Set(names.values());
    let name = declaration.name;
    for (let i = 1; used.has(name); i++) name = `${declaration.name}$${i}`;
    names.set(declaration, name);
    taken.push(declaration);
  };
  for (const name of await exportsOf(entry)) {
    const declaration = await find(entry, name);
    take(declaration);
    exported.push([names.get(declaration), name]);
  }
  const texts = [];
  // The list grows while it is read.
  for (const declaration of taken) {
    const edits = [];
    for (const { name, start, end } of usesIn(declaration.node)) {
      const used = await lookUp(declaration.file, name);
      if (used === undefined) continue;
      take(used);
      if (names.get(used) !== name) edits.push({ start, end, text: names.get(used) });
    }
    texts.push(toText(declaration, names.get(declaration), edits));
  }
  const list = exported.map(([local, name]) => (local === name ? name : `${local} as ${name}`));
  return `${HEAD}${texts.join('\n')}\nexport { ${list.join(', ')} };\n`;
}

/** A parsed declaration file: what it declares, what it imports and what it exports, by name. */
async function read(file) {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const text = await readFile(file, 'utf8');
  const { program, errors, comments } = parseSync(file, text, { lang: 'dts' });
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const module = { text, comments, declared: new Map(), imported: new Map(), exported: new Map(), stars: [] };
  for (const statement of program.body) readStatement(module, file, statement);
  modules.set(file, module);
  return module;
}

function readStatement(module, file, statement) {
  const from = statement.source && { source: statement.source.value };
  if (statement.type === 'ImportDeclaration') {
    for (const { local, imported } of statement.specifiers) {
      if (imported === undefined) throw new Error(`${file}: ${local.name} is imported as a whole; import it by name`);
      module.imported.set(local.name, { ...from, name: imported.name });
    }
    return;
  }
  if (statement.type === 'ExportAllDeclaration') {
    if (statement.exported !== null) throw new Error(`${file}: all of a module under one name; list what is public`);
    module.stars.push(from.source);
    return;
  }
  const isExport = statement.type === 'ExportNamedDeclaration';
  for (const { local, exported } of isExport ? statement.specifiers : []) {
    module.exported.set(exported.name, from === null ? { name: local.name } : { ...from, name: local.name });
  }
  const node = isExport ? statement.declaration : statement;
  if (node === null || node === undefined) return;
  const ids = node.type === 'VariableDeclaration' ? node.declarations.map(({ id }) => id) : [node.id];
  if (ids.length !== 1) throw new Error(`${file}: one declaration declares ${ids.length} names; write one for each`);
  const [{ name }] = ids;
  const isTwin = module.declared.has(name);
  module.declared.set(name, { file, name, id: ids[0], node, start: statement.start, isTwin });
  if (isExport) module.exported.set(name, { name });
}

async function exportsOf(file) {
  const { exported, stars } = await read(file);
  const passedOn = await Promise.all(stars.map((source) => exportsOf(besides(file, source))));
  return [...new Set([...exported.keys(), ...passedOn.flat()])];
}

/** The declarations that `file` calls `source`. */
function besides(file, source) {
  return resolve(dirname(file), source.replace(/\.js$/, '.d.ts'));
}

/** The declaration that `file` exports as `name`. */
async function find(file, name) {
  const { exported, stars } = await read(file);
  const place = exported.get(name);
  for (const source of place === undefined ? stars : []) {
    const within = besides(file, source);
    if ((await exportsOf(within)).includes(name)) return find(within, name);
  }
  if (place === undefined) throw new Error(`${file} exports no ${name}`);
  const found = place.source === undefined ? await lookUp(file, place.name) : await follow(file, place);
  if (found === undefined) throw new Error(`${file}: ${name} leads nowhere`);
  return found;
}

/** What `name` means within `file`; undefined for a global or a parameter. */
async function lookUp(file, name) {
  const { declared, imported } = await read(file);
  return declared.get(name) ?? (imported.has(name) ? follow(file, imported.get(name)) : undefined);
}

function follow(file, { source, name }) {
  if (!source.startsWith('.')) throw new Error(`${file}: ${name} of ${source} would be public; declare its type here`);
  return find(besides(file, source), name);
}

/** Identifiers that refer to something, each with its place. */
function usesIn(node, uses = []) {
  if (Array.isArray(node)) node.forEach((one) => usesIn(one, uses));
  else if (typeof node === 'object' && node !== null) {
    if (node.type === 'Identifier') uses.push(node);
    if (node.type === 'TSImportType') throw new Error(`import('${node.source.value}') in a public type; name the type`);
    for (const [field, value] of Object.entries(node)) {
      const isOwn = OWN_NAMES[node.type] === field && node.computed !== true && value?.type === 'Identifier';
      if (isOwn) continue;
      // A parameter's name is its own; its type is not.
      if (field === 'params' && Array.isArray(value)) value.forEach((one) => usesIn(withoutName(one), uses));
      else if (field !== 'id') usesIn(value, uses);
      else usesIn(value?.typeAnnotation, uses);
    }
  }
  return uses;
}

function withoutName(parameter) {
  return parameter.type === 'Identifier' ? parameter.typeAnnotation : parameter;
}

/** A declaration with its docstring, not exported itself, under `name`. */
function toText({ file, id, node, start }, name, edits) {
  const { text, comments } = modules.get(file);
  const doc = comments.findLast((one) => one.end <= start && text.slice(one.end, start).trim() === '');
  const head = doc?.value.startsWith('*') ? `${text.slice(doc.start, doc.end)}\n` : '';
  const isType = node.type === 'TSInterfaceDeclaration' || node.type === 'TSTypeAliasDeclaration';
  const renamed = { start: id.start, end: id.start + id.name.length, text: name };
  const all = [...edits, renamed].toSorted((a, b) => b.start - a.start);
  let body = text.slice(node.start, node.end);
  for (const edit of all) {
    body = body.slice(0, edit.start - node.start) + edit.text + body.slice(edit.end - node.start);
  }
  return `${head}${isType || body.startsWith('declare') ? body : `declare ${body}`}`;
}
