import { isDeepStrictEqual } from 'node:util';
import { isMap, isSeq, type Document, type ToStringOptions, type YAMLMap, type YAMLSeq } from 'yaml';
import { AppError, assert } from '../../../base/index.js';
import { MAX_ALIASES, readYaml, toConfigError, type YamlText } from '../../../yaml-file/index.js';
import { gatewayFileKind } from '../file/gateway-file-kind.js';
import { checkGatewayConfig } from '../parse/parse-gateway-config.js';
import {
  editValues,
  entriesOf,
  withoutUndefined,
  type ConfigEdit,
  type ConfigList,
  type WrittenFile,
} from './config-edit.js';
import { createNodeEditor, type NodeEditor } from './edit-nodes.js';
import { commentsOf, type LineRange, type TextComment } from './node-comments.js';

/**
 * The gateway.yaml `text` after `edits`, one after the other. Comments, the order of fields and how values are written stay;
 * what goes with an entry that is removed are the comments on its own lines. `path` is named in errors:
 * `gateway_config_invalid` when the text before or after cannot be used, `gateway_config_edit` when an entry is not there,
 * is there already, or its text is shared by an anchor.
 */
export function editGatewayConfig(text: string, edits: readonly ConfigEdit[], path: string): string {
  checkUsable(text, path);
  const edited = inRuns(edits).reduce(editTogether, text);
  checkUsable(edited, path);
  return edited;
}

/** Entries that are added one after the other are one run: each run is read and written once, however many they are. */
function inRuns(edits: readonly ConfigEdit[]): [ConfigEdit, ...ConfigEdit[]][] {
  const runs: [ConfigEdit, ...ConfigEdit[]][] = [];
  for (const edit of edits) {
    const last = runs.at(-1);
    if (last !== undefined && edit.action === 'add' && last[0].action === 'add') last.push(edit);
    else runs.push([edit]);
  }
  return runs;
}

function checkUsable(text: string, path: string): void {
  const { problems } = checkGatewayConfig(text);
  if (problems.length > 0) throw toConfigError(gatewayFileKind, path, problems);
}

function editTogether(text: string, run: readonly [ConfigEdit, ...ConfigEdit[]]): string {
  const [edit] = run;
  const before = readAgain(text);
  const options = styleOf(before.document, text);
  const values = toValues(before);
  const expected = run.reduce(editValues, values);
  const editor = createNodeEditor(before);
  for (const each of run) editNodes(before.document, values, editor, each);
  const written = write(before.document, options, text);
  const after = readYaml(written);
  if (!('document' in after) || !isDeepStrictEqual(toValues(after), expected)) {
    const message = `the ${edit.action} of ${nameOf(edit)} would change other entries too: an anchor (&name) shares their text; write it out in each of them first`;
    throw new AppError('gateway_config_edit', message);
  }
  const lost = findLost(commentsOf(readAgain(text)), commentsOf(after), editor.dropped);
  if (lost !== undefined) {
    const message = `the ${edit.action} of ${nameOf(edit)} cannot keep the comment on line ${lost.line} in its place; move it to a line of its own before the field`;
    throw new AppError('gateway_config_edit', message, { line: lost.line });
  }
  return written;
}

function nameOf(edit: ConfigEdit): string {
  if (edit.action === 'set') return edit.field;
  return `${edit.list}: ${(edit.action === 'add' ? edit.entry.id : edit.id).slice(0, 64)}`;
}

/** A text that was read before. */
function readAgain(text: string): YamlText {
  const yaml = readYaml(text);
  assert('document' in yaml, 'the text was checked');
  return yaml;
}

function toValues({ document }: YamlText): WrittenFile {
  return Object(document.toJS({ maxAliasCount: 10 * MAX_ALIASES })) as WrittenFile;
}

function editNodes(document: Document.Parsed, values: WrittenFile, editor: NodeEditor, edit: ConfigEdit): void {
  const root = document.contents;
  assert(isMap(root), 'the text was checked');
  if (edit.action === 'set') {
    editor.setField(root, edit.field, toJson(edit.value));
    return;
  }
  if (edit.action === 'add') {
    const list = listOf(root, edit.list);
    const entry = withoutUndefined(edit.entry);
    if (list === undefined) editor.setField(root, edit.list, [entry]);
    else editor.addItem(list, entry);
    return;
  }
  const list = listOf(root, edit.list);
  const index = entriesOf(values, edit.list).findIndex(({ id }) => id === edit.id);
  assert(list !== undefined && index !== -1, 'the values have the entry');
  if (edit.action === 'remove') {
    editor.removeItem(list, index);
    return;
  }
  const entry = list.items[index];
  // An entry that is an alias is its anchor's: the values will not be what is expected.
  if (!isMap(entry)) return;
  for (const [name, value] of Object.entries(withoutUndefined(edit.fields))) editor.setField(entry, name, value);
  for (const name of edit.without ?? []) editor.removeField(entry, name);
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function listOf(file: YAMLMap, name: ConfigList): YAMLSeq | undefined {
  const list = file.get(name, true);
  return isSeq(list) ? list : undefined;
}

/** How the text is written, as far as the writer can follow: its indentation, and whether lists are indented. */
function styleOf(document: Document.Parsed, text: string): ToStringOptions {
  const [, spaces = '  '] = /^[A-Za-z_]+:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*( +)\S/m.exec(text) ?? [];
  const isFlush = /^[A-Za-z_]+:[^\n]*\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*- /m.test(text);
  return {
    lineWidth: 0,
    indent: Math.min(Math.max(spaces.length, 1), 8),
    indentSeq: !isFlush,
    flowCollectionPadding: !/\{[^\s}]/.test(text),
    singleQuote: true,
    // Set where a directive stands, and then kept.
    directives: document.directives.docStart,
  };
}

function write(document: Document.Parsed, options: ToStringOptions, text: string): string {
  const written = document.toString(options);
  return text.includes('\r\n') ? written.replace(/\r?\n/g, '\r\n') : written;
}

/** The first comment that is gone or out of its order, of those that are to stay. No comment comes from anywhere else. */
function findLost(
  before: readonly TextComment[],
  after: readonly TextComment[],
  dropped: readonly LineRange[],
): TextComment | undefined {
  const mayGo = ({ line }: TextComment): boolean => dropped.some(({ first, last }) => line >= first && line <= last);
  return (
    findMissing(
      before.filter((comment) => !mayGo(comment)),
      after,
    ) ?? findMissing(after, before)
  );
}

/** The first of `some` that `all` does not have behind those before it. */
function findMissing(some: readonly TextComment[], all: readonly TextComment[]): TextComment | undefined {
  let at = 0;
  return some.find(({ text }) => {
    while (at < all.length && all[at]?.text !== text) at++;
    return at++ >= all.length;
  });
}
