import { errorOf, readText } from '../../data/index.js';
import type { Runtime, RuntimeRules, SecretReference } from '../api/runtime-answers.js';

/** The typed values of a runtime. They contain the location of its key, never the key itself. */
export interface RuntimeDraft {
  readonly id: string;
  readonly kind: string;
  readonly baseUrl: string;
  readonly keyFrom: 'none' | 'env' | 'file';
  readonly keyPlace: string;
  readonly metering: 'inject' | 'observe';
  readonly translate: 'yes' | 'no';
}

const MAX_URL = 2_048;
const MAX_PATH = 4_096;

/** The draft of an existing runtime, or an empty draft of `kind`. */
export function toDraft(runtime: Runtime | undefined, kind: string): RuntimeDraft {
  if (runtime === undefined) {
    return { id: '', kind, baseUrl: '', keyFrom: 'none', keyPlace: '', metering: 'inject', translate: 'yes' };
  }
  const [, from, place = ''] = /^(env|file) (.*)$/s.exec(runtime.api_key ?? '') ?? [];
  return {
    id: runtime.id,
    kind: runtime.kind,
    baseUrl: runtime.base_url,
    keyFrom: from === 'env' || from === 'file' ? from : 'none',
    keyPlace: place,
    metering: runtime.metering,
    translate: runtime.translate ? 'yes' : 'no',
  };
}

/** The errors of a draft by field; empty without errors. */
export function errorsOf({ id, baseUrl, keyFrom, keyPlace }: RuntimeDraft): Readonly<Record<string, string>> {
  const isId = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(id);
  const url = errorOf(readText(baseUrl, MAX_URL));
  const isUrl = /^https?:\/\/[^/\s]+/.test(baseUrl.trim());
  const found: [string, string | undefined][] = [
    ['id', isId ? undefined : '1 to 64 letters, digits, dots, dashes and underscores.'],
    ['baseUrl', url ?? (isUrl ? undefined : 'An address such as http://127.0.0.1:8000, without /v1.')],
    ['keyPlace', keyFrom === 'none' ? undefined : errorOf(readText(keyPlace, MAX_PATH))],
  ];
  return Object.fromEntries(found.flatMap(([name, error]) => (error === undefined ? [] : [[name, error]])));
}

/** Converts a draft without errors to rules. */
export function toRules({ baseUrl, metering, translate, keyFrom, keyPlace }: RuntimeDraft): RuntimeRules {
  const key: Readonly<Record<RuntimeDraft['keyFrom'], SecretReference | null>> = {
    none: null,
    env: { env: keyPlace.trim() },
    file: { file: keyPlace.trim() },
  };
  return { base_url: baseUrl.trim(), metering, translate: translate === 'yes', api_key: key[keyFrom] };
}

/** The rules as texts by field, for a comparison of two versions. */
export function toTexts(draft: RuntimeDraft): Readonly<Record<string, string>> {
  const { baseUrl, metering, translate, keyFrom, keyPlace } = draft;
  return {
    Address: baseUrl,
    Metering: metering,
    Translation: translate,
    'Its key': keyFrom === 'none' ? 'none' : `${keyFrom} ${keyPlace}`,
  };
}
