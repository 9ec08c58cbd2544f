// The output of `init` when it is done: for people, and as JSON.
import { wrap } from '../../cli/index.js';
import { toAuthority, type GatewayConfig, type LineDiff } from '../../gateway/index.js';
import { quoteForShell } from '../shell-words.js';
import type { Approved } from './approve.js';
import { counted } from '../../words/index.js';
import { isRuntime, renderNothingFound } from './report.js';
import type { Written } from './write-config.js';

/** What was found and written, with the key in plain text where one was made. */
export function toInitJson(approved: Approved, written: Written): unknown {
  const { scan, findings, numRefused } = approved;
  const { path, outcome, config, backup, plan, key, diff } = written;
  return {
    config: path,
    outcome,
    gateway_id: config.gatewayId,
    ...(backup !== undefined && { backup }),
    ...(diff !== undefined && { diff: toLines(diff) }),
    scan: { range: scan.range, ...scan.counts },
    findings,
    not_approved: numRefused,
    runtimes: plan.runtimes,
    models: plan.models,
    left_out: plan.numLeftOut,
    virtual_key: key === undefined ? null : { id: key.id, name: key.name, prefix: key.prefix, key: key.secret },
    curl: key === undefined ? null : firstRequest(config, key.secret),
  };
}

/** The same for people, behind the report of the scan. */
export function renderWritten(approved: Approved, written: Written, again: string, width: number): string {
  const hint = approved.findings.some(isRuntime) ? '' : `\n${renderNothingFound(again, width)}`;
  const lines = [...wrap(outcomeOf(written), width), ...notesOf(approved, written, again, width)];
  return `${hint}\n${lines.join('\n')}\n${renderKey(written)}`;
}

/** The lines of `path` that change, each with its number: of the text before where it goes, of the new one where it comes. */
export function renderDiff(path: string, diff: LineDiff): string {
  const { added, removed, truncated } = diff;
  const lines = toLines(diff).map((line) => `  ${line}`);
  const more = truncated ? ['  … and more that are not shown'] : [];
  return [`Lines of ${path}: ${added} added, ${removed} removed.`, '', ...lines, ...more, '', ''].join('\n');
}

/** The changed lines alone: a terminal has no room for those around them. */
function toLines({ hunks }: LineDiff): string[] {
  const changed = hunks.flat().filter(({ kind }) => kind !== ' ');
  const width = Math.max(...changed.map(({ before, after }) => String(after ?? before ?? 0).length));
  return changed.map(
    ({ kind, before, after, text }) => `${kind}${String(after ?? before ?? 0).padStart(width)}  ${text}`,
  );
}

function outcomeOf({ path, outcome, config, plan, backup, key }: Written): string {
  const { runtimes, models, virtualKeys } = config;
  if (outcome === 'created') {
    return `Wrote ${path}: ${counted(runtimes.length, 'runtime')}, ${counted(models.length, 'model')}, ${counted(virtualKeys.length, 'key')}.`;
  }
  const kept = `Its ${counted(virtualKeys.length, 'key')} and its gateway id are as they were.`;
  if (outcome === 'unchanged') return `Nothing is new: ${path} was not changed. ${kept}`;
  if (outcome === 'declined') return `Nothing was written, since you did not say yes: ${path} is as it was.`;
  const taken = `${counted(plan.runtimes.length, 'runtime')} and ${counted(plan.models.length, 'model')} were added or changed`;
  return `Wrote ${path}: ${taken}. The text before is in ${backup}. ${key === undefined ? kept : ''}`;
}

/** The steps that are left. Commands have lines of their own, to be copied. */
function notesOf(approved: Approved, { path, plan, config, outcome }: Written, again: string, width: number): string[] {
  if (outcome === 'declined') return ['To be asked again:', `  ${again}`];
  const [why, command] =
    approved.approver === 'none'
      ? ['no question was asked, since there is no terminal. To write all that are found:', `${again} --yes`]
      : ['you did not say yes. To be asked again:', again];
  const locked = config.runtimes.filter(({ id, apiKey, baseUrl }) => {
    const wantsKey = approved.findings.some(({ url, state }) => url === baseUrl && state === 'auth');
    return wantsKey && apiKey === undefined && plan.runtimes.includes(id);
  });
  return [
    ...(approved.numRefused === 0
      ? []
      : [...wrap(`${counted(approved.numRefused, 'runtime')} found and not written: ${why}`, width), `  ${command}`]),
    ...locked.flatMap(({ id }) =>
      wrap(`${id} asks for a key: set its api_key in ${path}, and list its models there.`, width),
    ),
    ...(plan.numLeftOut === 0 ? [] : [`${plan.numLeftOut} entries were left out: the file is full.`]),
  ];
}

function renderKey({ path, config, key, outcome }: Written): string {
  if (key === undefined || outcome === 'declined') return '';
  return `
The key for your clients, which is shown only now:

  ${key.secret}

Start the gateway, and ask it:

  private-gateway serve --config ${quoteForShell(path)}
  ${firstRequest(config, key.secret)}
`;
}

/** Models whose names say that they do not chat. */
const NO_CHAT = /embed|bge-|rerank|whisper|tts|\bclip\b/i;

/** A curl line that asks the gateway with a key: for an answer of its first chat model, or without models for their list. */
export function firstRequest({ listen, models }: Pick<GatewayConfig, 'listen' | 'models'>, key: string): string {
  // A client cannot connect to the address that means all addresses.
  const host = listen.host === '0.0.0.0' ? '127.0.0.1' : listen.host === '::' ? '::1' : listen.host;
  const url = `http://${toAuthority({ host, port: listen.port })}`;
  const model = models.find(({ id }) => !NO_CHAT.test(id)) ?? models[0];
  const authorization = `-H 'Authorization: Bearer ${key}'`;
  if (model === undefined) return `curl ${url}/v1/models ${authorization}`;
  const body = JSON.stringify({ model: model.id, messages: [{ role: 'user', content: 'Hello' }] });
  return `curl ${url}/v1/chat/completions ${authorization} -H 'Content-Type: application/json' -d ${quoteForShell(body)}`;
}
