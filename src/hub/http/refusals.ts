import { AppError } from '../../base/index.js';
import { fieldOf, type UpstreamAnswer } from '../../relay/index.js';
import { unreachable } from './failures.js';
import { readWaitMs } from './rate-limit.js';

/** The requested item, for the words of a refusal. */
export interface AskedFor {
  readonly repo?: string | undefined;
  readonly revision?: string | undefined;
  readonly path?: string | undefined;
}

/** The hub that was asked. */
export interface AskedHub {
  readonly endpoint: string;
  readonly hasToken: boolean;
}

/** The error for an answer that is neither a success nor a redirect. Source: huggingface_hub, `hf_raise_for_status`. */
export function toRefusal(
  { status, fields }: Pick<UpstreamAnswer, 'status' | 'fields'>,
  { repo = 'the repository', revision = 'main', path }: AskedFor,
  hub: AskedHub,
): AppError {
  const { host } = new URL(hub.endpoint);
  const page = `${hub.endpoint}/${repo}`;
  const code = fieldOf(fields, 'x-error-code');
  const details = { repo, status };
  if (code === 'GatedRepo') {
    const who = hub.hasToken ? 'with the account of HF_TOKEN' : 'then set HF_TOKEN to a token of that account';
    const message = `${repo} is gated: accept its terms at ${page}, ${who}, and pull again`;
    return new AppError('hub_gated', message, details);
  }
  if (code === 'RevisionNotFound') {
    const message = `${repo} has no revision ${JSON.stringify(revision)}; ${page}/branches lists its branches and tags`;
    return new AppError('hub_revision_missing', message, { ...details, revision });
  }
  if (code === 'EntryNotFound') {
    const message = `${repo} has no file ${JSON.stringify(path ?? '')} any more, although its tree lists it; pull again`;
    return new AppError('hub_file_missing', message, details);
  }
  if (code === 'RepoNotFound' || status === 404) {
    const access = hub.hasToken ? 'or the token may not see it' : 'or it is private: then set HF_TOKEN';
    const message = `${host} has no model repository ${repo}, ${access}; native-engine search finds names`;
    return new AppError('hub_repository_missing', message, details);
  }
  if (status === 401 || status === 403) {
    const message = hub.hasToken
      ? `${host} refuses the token (status ${status}); set HF_TOKEN to one that is valid, or to nothing for public models`
      : `${host} asks for a token (status ${status}); set HF_TOKEN`;
    return new AppError('hub_token_refused', message, details);
  }
  if (status === 429) return throttled(host, readWaitMs(fields));
  if (status === 408 || status >= 500) return unreachable(host, `status ${status}`, { status });
  return new AppError('hub_answer_invalid', `${host} answered status ${status}, which is unexpected here`, details);
}

/** `hub_throttled`; `details.waitMs` is -1 if the hub does not state it. */
export function throttled(host: string, waitMs: number | undefined): AppError {
  const when = waitMs === undefined ? 'later' : `in ${Math.ceil(waitMs / 1_000)} s`;
  const message = `${host} is asked too often (status 429); try again ${when}, or set HF_TOKEN, which allows more: the downloaded bytes are kept`;
  return new AppError('hub_throttled', message, { host, waitMs: waitMs ?? -1 });
}
