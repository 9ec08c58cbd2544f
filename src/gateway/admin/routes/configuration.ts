import { toTime } from '../../operations/shown-key.js';
import {
  checkGatewayConfig,
  diffLines,
  GatewayFile,
  readGatewayText,
  type ConfigEdit,
  type Problem,
} from '../../config/index.js';
import { adminRoute, answer, etagHeader, readIfMatch, type AdminSection } from '../admin-route.js';
import { listVersions, readVersion } from '../files/config-history.js';
import { previewEdits, saveConfig, saveEdits, stateOf } from '../files/save-config.js';
import {
  CheckedText,
  ConfigEdits,
  ConfigSchema,
  EditedConfig,
  SentText,
  ShownConfig,
  VersionList,
  WholeVersion,
} from '../schemas/configuration.js';
import { hideFunctions } from '../plain-schema.js';

const PATH = '/admin/api/config';

const show = adminRoute({
  method: 'GET',
  path: PATH,
  summary: 'Shows gateway.yaml as text and as values, and whether the gateway works by it.',
  response: ShownConfig,
  async handle({ context }) {
    const { text, etag } = await readGatewayText(context.configPath);
    const { file, problems, warnings } = context.checked.check(text);
    const found = { problems: problems.map(showProblem), warnings: warnings.map(showProblem) };
    const body = { path: context.configPath, text, etag, values: file ?? null, ...found, ...stateOf(context, etag) };
    return answer(body, etagHeader(etag));
  },
});

const schema = adminRoute({
  method: 'GET',
  path: `${PATH}/schema`,
  summary: 'The JSON schema of gateway.yaml, with descriptions and defaults, for forms.',
  response: ConfigSchema,
  handle: async () => answer(hideFunctions(GatewayFile)),
});

const check = adminRoute({
  method: 'POST',
  path: `${PATH}/validate`,
  summary: 'Checks a text as it is typed: every mistake with its place, and how it differs from the file.',
  isSafe: true,
  body: SentText,
  response: CheckedText,
  async handle({ context, body: { text } }) {
    const { text: before } = await readGatewayText(context.configPath);
    const { file, problems, warnings } = checkGatewayConfig(text);
    return answer({
      valid: file !== undefined,
      problems: problems.map(showProblem),
      warnings: warnings.map(showProblem),
      diff: diffLines(before, text),
    });
  },
});

const write = adminRoute({
  method: 'PUT',
  path: PATH,
  summary: 'Writes gateway.yaml as a whole. The text before is kept as a version.',
  changesByEtag: true,
  body: SentText,
  response: EditedConfig,
  async handle(call) {
    const { text } = call.body;
    const saved = await saveConfig(call, { etag: readIfMatch(call), toText: () => text, action: 'config.write' });
    return answer(
      {
        text: saved.text,
        etag: saved.etag,
        diff: diffLines(saved.before, saved.text),
        written: true,
        ...stateOf(call.context, saved.etag),
      },
      etagHeader(saved.etag),
    );
  },
});

const edit = adminRoute({
  method: 'POST',
  path: `${PATH}/edits`,
  summary: 'Makes single changes of gateway.yaml, with comments and order kept. With preview it only shows them.',
  changesByEtag: true,
  body: ConfigEdits,
  response: EditedConfig,
  async handle(call) {
    const { context, body } = call;
    // The schema has the same words as the type.
    const edits = body.edits as readonly ConfigEdit[];
    const etag = readIfMatch(call);
    const isPreview = body.preview === true;
    const made = isPreview
      ? await previewEdits(context, edits, etag)
      : await saveEdits(call, edits, { etag, action: 'config.edit' });
    return answer(
      {
        text: made.text,
        etag: made.etag,
        diff: diffLines(made.before, made.text),
        written: !isPreview,
        ...stateOf(context, made.etag),
      },
      etagHeader(made.etag),
    );
  },
});

const versions = adminRoute({
  method: 'GET',
  path: `${PATH}/versions`,
  summary: 'Lists the texts that the file had before, the newest first.',
  response: VersionList,
  handle: async ({ context }) => answer({ data: (await listVersions(context.configPath)).map(showVersion) }),
});

const version = adminRoute({
  method: 'GET',
  path: `${PATH}/versions/{id}`,
  summary: 'Shows one of them, and what the file would become by it.',
  response: WholeVersion,
  async handle({ context, params }) {
    const found = await readVersion(context.configPath, params['id'] ?? '');
    const { text } = await readGatewayText(context.configPath);
    const valid = checkGatewayConfig(found.text).file !== undefined;
    return answer({ ...showVersion(found), text: found.text, valid, diff: diffLines(text, found.text) });
  },
});

const restore = adminRoute({
  method: 'POST',
  path: `${PATH}/versions/{id}/restore`,
  summary: 'Writes one of them as the file. The present file is kept as a version.',
  changesByEtag: true,
  response: EditedConfig,
  async handle(call) {
    const { context, params } = call;
    const etag = readIfMatch(call);
    const { id, text } = await readVersion(context.configPath, params['id'] ?? '');
    const saved = await saveConfig(call, { etag, toText: () => text, action: 'config.restore', diff: { version: id } });
    const diff = diffLines(saved.before, saved.text);
    const more = { diff, written: true, ...stateOf(context, saved.etag) };
    return answer({ text: saved.text, etag: saved.etag, ...more }, etagHeader(saved.etag));
  },
});

function showProblem({ line, column, field, message }: Problem) {
  return { line, column, field, message };
}

function showVersion({ id, savedAtMs, sizeBytes }: Awaited<ReturnType<typeof listVersions>>[number]) {
  return { id, saved_at: toTime(savedAtMs), size_bytes: sizeBytes };
}

/** gateway.yaml. */
export const configuration: AdminSection = [show, schema, check, write, edit, versions, version, restore];
