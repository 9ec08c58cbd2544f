import type { GatewayConfig } from '../../gateway/index.js';
import { toAuthority } from '../../gateway/index.js';
import { quoteForShell } from '../shell-words.js';

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
