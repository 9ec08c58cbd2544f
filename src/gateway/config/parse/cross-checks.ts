// Checks across fields: unknown names, names used twice, currencies that collide.
import { crossCheckWebhooks } from '../../../alerts/index.js';
import type { GatewayFile } from '../schema/gateway-file.js';
import {
  createSuggester,
  parseListen,
  quoteName,
  refuseRepeated,
  refuseRepeatedTexts,
  type Partly,
  type Report,
} from '../../../yaml-file/index.js';
import { createKeyChecks } from './key-checks.js';

/** Checks a file against itself. `warn` gets settings that work but are probably mistakes. */
export function crossCheck(file: Partly<GatewayFile>, fail: Report, warn: Report): void {
  const { runtimes = [], models = [], virtual_keys: keys = [] } = file;
  refuseRepeated('runtimes', 'id', runtimes, (runtime) => runtime.id, fail);
  refuseRepeated('models', 'id', models, (model) => model.id, fail);
  refuseRepeated('virtual_keys', 'id', keys, (key) => key.id, fail);
  refuseRepeated('virtual_keys', 'prefix', keys, (key) => key.prefix, fail);
  refuseRepeated('virtual_keys', 'hash', keys, (key) => key.hash, fail);
  refuseRepeatedTexts('passthrough', file.passthrough ?? [], fail);
  refuseRepeatedTexts('cors_origins', file.cors_origins ?? [], fail);
  checkTargets(file, fail);
  checkAddresses(file, fail);
  checkTimes(file, fail);
  crossCheckWebhooks(file.alerts?.webhooks ?? [], fail, warn);
  const { checkNames, checkBudgets } = createKeyChecks(models, fail, warn);
  keys.forEach((key, i) => {
    if (key === undefined) return;
    checkNames(key, `virtual_keys[${i}]`);
    checkBudgets(key, `virtual_keys[${i}]`);
  });
}

function checkTargets({ runtimes = [], models = [] }: Partly<GatewayFile>, fail: Report): void {
  const ids = runtimes.map((runtime) => runtime?.id).filter((id) => id !== undefined);
  // A runtime whose id has a mistake would be missed by every target that means it.
  const areKnown = ids.length === runtimes.length;
  const known = new Set(ids);
  const suggest = createSuggester(ids);
  models.forEach((model, i) => {
    const seen = new Map<string, number>();
    (model?.targets ?? []).forEach((target, j) => {
      const { runtime, model: name } = target ?? {};
      if (runtime === undefined) return;
      const field = `models[${i}].targets[${j}]`;
      if (areKnown && !known.has(runtime)) {
        const others =
          ids.length === 0 ? ' There are no runtimes.' : ids.length <= 8 ? ` There are ${ids.join(', ')}.` : '';
        fail(
          `${field}.runtime`,
          `is ${quoteName(runtime) ?? 'an id'}, which no runtime has.${suggest(runtime) || others}`,
        );
      }
      if (name === undefined) return;
      const first = seen.get(`${runtime} ${name}`);
      if (first === undefined) seen.set(`${runtime} ${name}`, j);
      else fail(field, `is models[${i}].targets[${first}] again; raise its weight instead`);
    });
  });
}

/** A gateway that is its own runtime would ask itself without end. */
function checkAddresses({ listen, runtimes = [] }: Partly<GatewayFile>, fail: Report): void {
  const own = listen === undefined ? undefined : parseListen(listen);
  if (own === undefined || own.port === 0) return;
  const isEvery = own.host === '0.0.0.0' || own.host === '::';
  runtimes.forEach((runtime, i) => {
    if (runtime?.base_url === undefined || !URL.canParse(runtime.base_url)) return;
    const { hostname, port, protocol } = new URL(runtime.base_url);
    if (Number(port || (protocol === 'https:' ? 443 : 80)) !== own.port) return;
    const host = hostname.replace(/^\[|\]$/g, '');
    const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
    const isOwnLoopback = isEvery || own.host === 'localhost' || own.host === '::1' || own.host.startsWith('127.');
    if (host === own.host || (isLoopback && isOwnLoopback)) {
      fail(
        `runtimes[${i}].base_url`,
        `is the address on which the gateway itself listens (${listen}); write that of the runtime`,
      );
    }
  });
}

function checkTimes({ limits }: Partly<GatewayFile>, fail: Report): void {
  const { idle_stream_s: idle, request_s: whole } = limits ?? {};
  if (idle === undefined || whole === undefined || idle <= whole) return;
  fail(
    'limits.idle_stream_s',
    `is ${idle}, longer than limits.request_s (${whole}), so it would never end a request; lower it`,
  );
}
