import { isDeepStrictEqual } from 'node:util';
import { isMap, isSeq, type Document, type ToStringOptions, type YAMLMap, type YAMLSeq } from 'yaml';
import { AppError, assert, codeOf } from '../../../base/index.js';
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
import { keepLines } from './keep-lines.js';
import { commentsOf, type LineRange, type TextComment } from './node-comments.js';

/**
 * The gateway.yaml `text` after `edits`, in order. Comments, the order of fields and the spelling of values stay.
 * Removing an entry removes only the comments on its own lines. `path` is named in errors: `gateway_config_invalid`
 * when the text before or after cannot be used; `gateway_config_edit` when an entry is missing, exists already, or
 * shares its text by an anchor.
 */
export function editGatewayConfig(text: string, edits: readonly ConfigEdit[], path: string): string {
  checkUsable(text, path);
  const edited = inRuns(edits).reduce(editAll, text);
  checkUsable(edited, path);
  return edited;
}

/**
 * Each run of edits is read and written once, however many entries it changes. Setting and removing move comments, and
 * a value that is set twice keeps its style: before those the text is read anew.
 */
function inRuns(edits: readonly ConfigEdit[]): (readonly ConfigEdit[])[] {
  const runs: ConfigEdit[][] = [];
  let [kind, seen] = ['', new Set<string>()];
  for (const edit of edits) {
    const { action } = edit;
    const next = action === 'add' ? 'change' : action;
    const place = nameOf(edit);
    if (next === 'set' || next !== kind || seen.has(place)) [kind, seen] = [next, new Set()];
    if (seen.size === 0) runs.push([]);
    runs.at(-1)?.push(edit);
    seen.add(place);
  }
  return runs;
}

function checkUsable(text: string, path: string): void {
  const { problems } = checkGatewayConfig(text);
  if (problems.length > 0) throw toConfigError(gatewayFileKind, path, problems);
}

/** Applies all edits in one pass. A batch that fails is split in halves, which finds the edit at fault. */
function editAll(text: string, edits: readonly ConfigEdit[]): string {
  const [edit] = edits;
  if (edit === undefined) return text;
  try {
    return editTogether(text, [edit, ...edits.slice(1)]);
  } catch (error) {
    if (edits.length === 1 || codeOf(error) !== 'gateway_config_edit') throw error;
    const middle = edits.length >> 1;
    return editAll(editAll(text, edits.slice(0, middle)), edits.slice(middle));
  }
}

function editTogether(text: string, edits: readonly [ConfigEdit, ...ConfigEdit[]]): string {
  const [edit] = edits;
  const before = readAgain(text);
  const options = styleOf(before.document, text);
  const values = toValues(before);
  const expected = editValues(values, edits);
  const editor = createNodeEditor(before);
  editNodes(before.document, values, editor, edits);
  const written = write(before.document, options, text);
  const kept = keepLines(text, write(readAgain(text).document, options, text), written);
  if (isAsExpected(kept, expected, editor)) return kept;
  const after = readYaml(written);
  if (!('document' in after) || !isDeepStrictEqual(toValues(after), expected)) {
    const message = `the ${edit.action} of ${nameOf(edit)} would change other entries too: an anchor (&name) shares their text; write it out in each of them first`;
    throw new AppError('gateway_config_edit', message);
  }
  const lost = findLost(editor.comments, commentsOf(after), editor.dropped);
  if (lost !== undefined) {
    const message = `the ${edit.action} of ${nameOf(edit)} cannot keep the comment on line ${lost.line} in its place; move it to a line of its own before the field`;
    throw new AppError('gateway_config_edit', message, { line: lost.line });
  }
  return written;
}

/** Whether a text has the expected values and every comment that must stay. */
function isAsExpected(text: string, expected: WrittenFile, { comments, dropped }: NodeEditor): boolean {
  const after = readYaml(text);
  if (!('document' in after) || !isDeepStrictEqual(toValues(after), expected)) return false;
  return findLost(comments, commentsOf(after), dropped) === undefined;
}

function nameOf(edit: ConfigEdit): string {
  if (edit.action === 'set') return edit.field;
  return `${edit.list}: ${edit.action === 'add' ? edit.entry.id : edit.id}`;
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

function editNodes(
  document: Document.Parsed,
  values: WrittenFile,
  editor: NodeEditor,
  edits: readonly ConfigEdit[],
): void {
  const root = document.contents;
  assert(isMap(root), 'the text was checked');
  const entries = new Map<ConfigList, Map<string, unknown>>();
  for (const edit of edits) {
    if (edit.action === 'set') {
      editor.setField(root, edit.field, toJson(edit.value));
      continue;
    }
    const known = entries.get(edit.list) ?? entriesById(root, values, edit.list);
    entries.set(edit.list, known);
    editEntry(root, known, editor, edit);
  }
}

/** The nodes of a list by the ids of their entries. */
function entriesById(root: YAMLMap, values: WrittenFile, list: ConfigList): Map<string, unknown> {
  const nodes = listOf(root, list)?.items ?? [];
  return new Map(entriesOf(values, list).map(({ id }, i) => [String(id), nodes[i]]));
}

function editEntry(
  root: YAMLMap,
  known: Map<string, unknown>,
  editor: NodeEditor,
  edit: Exclude<ConfigEdit, { action: 'set' }>,
): void {
  const list = listOf(root, edit.list);
  if (edit.action === 'add') {
    const entry = withoutUndefined(edit.entry);
    if (list === undefined) editor.setField(root, edit.list, [entry]);
    else editor.addItem(list, entry);
    known.set(edit.entry.id, listOf(root, edit.list)?.items.at(-1));
    return;
  }
  const node = known.get(edit.id);
  assert(list !== undefined && known.has(edit.id), 'the values have the entry');
  if (edit.action === 'remove') {
    known.delete(edit.id);
    editor.removeItem(list, list.items.indexOf(node));
    return;
  }
  // An alias shares the entry of its anchor, so the edited values would differ from the expected ones.
  if (!isMap(node)) return;
  const fields = withoutUndefined(edit.fields);
  for (const [name, value] of Object.entries(fields)) editor.setField(node, name, value);
  for (const name of edit.without ?? []) editor.removeField(node, name);
  const { id } = fields;
  if (typeof id !== 'string') return;
  known.delete(edit.id);
  known.set(id, node);
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
    // Set at the first directive, and then kept.
    directives: document.directives.docStart,
  };
}

function write(document: Document.Parsed, options: ToStringOptions, text: string): string {
  const written = document.toString(options);
  return text.includes('\r\n') ? written.replace(/\r?\n/g, '\r\n') : written;
}

/** The first of the comments to keep that is missing or out of order. Other comments are not added. */
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

/** The first of `some` that `all` lacks behind its predecessors. */
function findMissing(some: readonly TextComment[], all: readonly TextComment[]): TextComment | undefined {
  let at = 0;
  return some.find(({ text }) => {
    while (at < all.length && all[at]?.text !== text) at++;
    return at++ >= all.length;
  });
}
