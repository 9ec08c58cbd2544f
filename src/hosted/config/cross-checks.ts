// Checks across fields of hosted.yaml: names used twice, paths that meet, an address that is the service itself.
import { crossCheckWebhooks } from '../../alerts/index.js';
import { refuseRepeated, refuseRepeatedTexts, type Partly, type Report } from '../../yaml-file/index.js';
import type { HostedFile } from './hosted-file.js';

/** Checks a file against itself. `warn` gets settings that work but are probably mistakes. */
export function crossCheck(file: Partly<HostedFile>, fail: Report, warn: Report): void {
  const { providers = [] } = file;
  refuseRepeated('providers', 'id', providers, (provider) => provider.id, fail);
  refuseRepeated('providers', 'path', providers, (provider) => provider.path ?? provider.id, fail);
  refuseRepeatedTexts('base_paths', file.base_paths ?? [], fail);
  refuseRepeatedTexts('public_urls', file.public_urls ?? [], fail);
  refuseRepeatedTexts('cors_origins', file.cors_origins ?? [], fail);
  refuseRepeatedTexts('gateways.allow_private', file.gateways?.allow_private ?? [], fail);
  providers.forEach((provider, i) => {
    const at = `providers[${i}]`;
    refuseRepeated(`${at}.paths`, 'path', provider?.paths ?? [], (path) => path.path, fail);
    if (Array.isArray(provider?.models)) refuseRepeatedTexts(`${at}.models`, provider.models as string[], fail);
    if (provider?.unpriced === 'free' && provider.credential !== undefined) {
      warn(
        `${at}.unpriced`,
        'is free: models without a price are relayed with the credential, and no account pays for them',
      );
    }
    checkVersion(provider, at, fail);
    checkModelsPath(provider?.paths ?? [], at, fail);
  });
  checkNested(providers, fail);
  checkAddresses(file, fail);
  crossCheckWebhooks(file.alerts?.webhooks ?? [], fail, warn);
}

type Providers = readonly (Partly<HostedFile['providers'][number]> | undefined)[];

/** `/v1` is part of the paths. */
function checkVersion(provider: Providers[number], at: string, fail: Report): void {
  const isTwice = (provider?.paths ?? []).some((path) => (path?.upstream ?? path?.path)?.startsWith('/v1/') === true);
  if (isTwice && /\/v1\/?$/.test(provider?.base_url ?? '')) {
    fail(`${at}.base_url`, 'ends with /v1, which its paths begin with; leave it out here');
  }
}

/** The list of models is the service's own: models with a price. */
function checkModelsPath(paths: NonNullable<NonNullable<Providers[number]>['paths']>, at: string, fail: Report): void {
  paths.forEach((path, i) => {
    if (path?.path === '/v1/models') {
      fail(`${at}.paths[${i}].path`, 'is the list of models, which the service answers itself; leave it out');
    }
  });
}

/** A path within another's would take its requests. */
function checkNested(providers: Providers, fail: Report): void {
  const paths = providers.map((provider) => provider?.path ?? provider?.id);
  paths.forEach((path, i) => {
    const outer = paths.findIndex((other) => path !== undefined && other !== undefined && path.startsWith(`${other}/`));
    if (outer !== -1)
      fail(
        `providers[${i}].path`,
        `begins with that of providers[${outer}]; choose paths of which none begins with another`,
      );
  });
}

/** A service that is its own provider would ask itself without end. */
function checkAddresses({ listen, providers = [] }: Partly<HostedFile>, fail: Report): void {
  const { host, port } = listen ?? {};
  if (host === undefined || port === undefined || port === 0) return;
  const isLoopback = (name: string): boolean => name === 'localhost' || name === '::1' || name.startsWith('127.');
  providers.forEach((provider, i) => {
    if (provider?.base_url === undefined || !URL.canParse(provider.base_url)) return;
    const url = new URL(provider.base_url);
    if (Number(url.port || (url.protocol === 'https:' ? 443 : 80)) !== port) return;
    const name = url.hostname.replace(/^\[|\]$/g, '');
    const isEvery = host === '0.0.0.0' || host === '::';
    if (name === host || (isLoopback(name) && (isEvery || isLoopback(host)))) {
      fail(
        `providers[${i}].base_url`,
        'is the address on which the service itself listens; write that of the provider',
      );
    }
  });
}
