// Plans entries of gateway.yaml for approved runtimes. Existing entries of the operator stay unchanged.
import {
  MAX_GATEWAY_MODELS,
  MAX_RUNTIMES,
  MAX_TARGETS,
  type ConfigEdit,
  type GatewayConfig,
  type RuntimeConfig,
} from '../config/index.js';
import type { FoundRuntime } from './finding.js';

/** Targets that are written at once. A file has room for 100,000 values, of which each takes some ten. */
const MAX_NEW_TARGETS = 8_192;
/** Bytes of one write: half of a file's limit. The rest stays for the operator. */
const MAX_NEW_BYTES = 512 << 10;
/** Of a model with a target, without its names. */
const MODEL_BYTES = 80;

/** The existing entries of a file. */
export type Existing = Pick<GatewayConfig, 'runtimes' | 'models'>;

/** The entries to write. */
export interface Plan {
  readonly edits: readonly ConfigEdit[];
  /** Ids of the runtimes that are new, or approved again. */
  readonly runtimes: readonly string[];
  /** Ids of the models that are new, or have a new target. */
  readonly models: readonly string[];
  /** Runtimes, models and targets that a file has no room for. */
  readonly numLeftOut: number;
}

/** Whether a runtime needs the approval of an operator. */
export type Novelty = 'new' | 'changed' | 'known';

/** Whether a file already has the runtime: the same address, and the same fingerprint where it has one. */
export function noveltyOf({ url, fingerprint }: FoundRuntime, existing: Existing | undefined): Novelty {
  const known = findRuntime(existing?.runtimes ?? [], url);
  if (known === undefined) return 'new';
  return known.fingerprint === undefined || known.fingerprint === fingerprint ? 'known' : 'changed';
}

/**
 * The edits that take up `approved`, in their order. A model that several runtimes have under one name becomes one model
 * with several targets.
 */
export function planEntries(
  approved: readonly FoundRuntime[],
  existing: Existing = { runtimes: [], models: [] },
): Plan {
  const runtimes = planRuntimes(approved, existing.runtimes);
  const models = planModels(runtimes.served, existing.models);
  return {
    edits: [...runtimes.edits, ...models.edits],
    runtimes: runtimes.edits.map((edit) => idOf(edit)),
    models: models.edits.map((edit) => idOf(edit)),
    numLeftOut: runtimes.numLeftOut + models.numLeftOut,
  };
}

/** A runtime by its id, and its model names. */
interface Served {
  readonly runtimeId: string;
  readonly names: readonly string[];
}

function planRuntimes(
  approved: readonly FoundRuntime[],
  existing: readonly RuntimeConfig[],
): { readonly edits: ConfigEdit[]; readonly served: Served[]; readonly numLeftOut: number } {
  const ids = new Set(existing.map(({ id }) => id));
  const edits: ConfigEdit[] = [];
  const served: Served[] = [];
  let numLeftOut = 0;
  for (const { url, kind, fingerprint, models = [] } of approved) {
    const known = findRuntime(existing, url);
    if (known === undefined && ids.size === MAX_RUNTIMES) {
      numLeftOut += 1 + models.length;
      continue;
    }
    const id = known?.id ?? freeName(kind, ids);
    ids.add(id);
    served.push({ runtimeId: id, names: models });
    if (known === undefined) {
      edits.push({ action: 'add', list: 'runtimes', entry: { id, kind, base_url: url, fingerprint } });
    } else if (known.fingerprint !== undefined && known.fingerprint !== fingerprint) {
      edits.push({ action: 'change', list: 'runtimes', id, fields: { kind, fingerprint } });
    }
  }
  return { edits, served, numLeftOut };
}

/** A planned model: its future id, its targets, and whether the file has it already. */
interface PlannedModel {
  readonly id: string;
  readonly targets: Readonly<Record<string, unknown>>[];
  readonly isNew: boolean;
  isChanged: boolean;
}

function planModels(
  served: readonly Served[],
  existing: GatewayConfig['models'],
): { readonly edits: ConfigEdit[]; readonly numLeftOut: number } {
  const planned: PlannedModel[] = existing.map(({ id, targets }) => ({
    id,
    targets: targets.map(toWritten),
    isNew: false,
    isChanged: false,
  }));
  const byName = new Map<string, PlannedModel>();
  for (const [i, { targets }] of existing.entries()) {
    for (const { model } of targets) if (!byName.has(model)) setModel(byName, model, planned[i]);
  }
  for (const model of planned) byName.set(model.id, model);
  const taken = new Set(
    existing.flatMap(({ targets }) => targets.map(({ runtimeId, model }) => `${runtimeId} ${model}`)),
  );
  const ids = new Set(planned.map(({ id }) => id));
  // Names that are valid ids come first, so they keep their spelling before a converted name can take it.
  const wanted = served.flatMap(({ runtimeId, names }) => names.map((name) => ({ runtimeId, name })));
  const exact = wanted.filter(({ name }) => toModelId(name) === name);
  const made = wanted.filter(({ name }) => toModelId(name) !== name);
  let [numLeftOut, numTargets, sizeBytes] = [0, 0, 0];
  for (const { runtimeId, name } of [...exact, ...made]) {
    if (taken.has(`${runtimeId} ${name}`)) continue;
    taken.add(`${runtimeId} ${name}`);
    const found = byName.get(name);
    const entryBytes = MODEL_BYTES + runtimeId.length + 2 * Buffer.byteLength(name);
    const isFull = found === undefined ? ids.size === MAX_GATEWAY_MODELS : found.targets.length === MAX_TARGETS;
    if (isFull || numTargets === MAX_NEW_TARGETS || sizeBytes + entryBytes > MAX_NEW_BYTES) {
      numLeftOut++;
      continue;
    }
    numTargets++;
    sizeBytes += entryBytes;
    const model = found ?? { id: freeName(toModelId(name), ids), targets: [], isNew: true, isChanged: true };
    model.targets.push({ runtime: runtimeId, model: name });
    model.isChanged = true;
    if (found !== undefined) continue;
    ids.add(model.id);
    planned.push(model);
    byName.set(name, model);
  }
  return { edits: planned.filter(({ isChanged }) => isChanged).map(toEdit), numLeftOut };
}

function setModel(byName: Map<string, PlannedModel>, name: string, model: PlannedModel | undefined): void {
  if (model !== undefined) byName.set(name, model);
}

function toEdit({ id, targets, isNew }: PlannedModel): ConfigEdit {
  return isNew
    ? { action: 'add', list: 'models', entry: { id, targets } }
    : { action: 'change', list: 'models', id, fields: { targets } };
}

/** A target as people write it: without fields at their defaults. */
function toWritten({
  runtimeId,
  model,
  weight,
  order,
}: Existing['models'][number]['targets'][number]): Readonly<Record<string, unknown>> {
  return { runtime: runtimeId, model, ...(weight !== 1 && { weight }), ...(order !== 0 && { order }) };
}

function idOf(edit: ConfigEdit): string {
  if (edit.action === 'set') return edit.field;
  return edit.action === 'add' ? edit.entry.id : edit.id;
}

function findRuntime(runtimes: readonly RuntimeConfig[], url: string): RuntimeConfig | undefined {
  return runtimes.find(({ baseUrl }) => toComparable(baseUrl) === toComparable(url));
}

/** Equivalent URLs: `localhost` and 127.0.0.1, with or without a slash at the end. */
function toComparable(text: string): string {
  if (!URL.canParse(text)) return text;
  const { protocol, hostname, port, pathname } = new URL(text);
  return `${protocol}//${hostname === 'localhost' ? '127.0.0.1' : hostname}:${port}${pathname.replace(/\/+$/, '')}`;
}

/**
 * A name that clients can request: ASCII without spaces or `*`, as the schema of gateway.yaml requires. Some servers
 * name models by a file's path: then the name of the file.
 */
function toModelId(name: string): string {
  const isPath = /^(?:\/|[A-Za-z]:[\\/])/.test(name);
  const file = isPath
    ? name
        .split(/[\\/]/)
        .findLast((part) => part !== '')
        ?.replace(/\.gguf$/i, '')
    : undefined;
  const id = (file ?? name).replace(/[^\x21-\x29\x2b-\x7e]+/g, '-').slice(0, 256);
  return id === '' || /^-+$/.test(id) ? 'model' : id;
}

/** `name`, or with a number behind it where that is taken. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let i = 1; ; i++) {
    const found = i === 1 ? name : `${name.slice(0, 250)}-${i}`;
    if (!taken.has(found)) return found;
  }
}
