import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutateManifests } from '../../artifact/manifest-mutations.js';
import { inFreshDirectory, writeSmall } from '../../artifact/small-artifact.js';

it('a manifest opens or is refused after each of 100,000 mutations, and never fails otherwise', () =>
  inFreshDirectory(async (parent) => {
    await writeSmall(join(parent, 'model'));
    expect(await mutateManifests(join(parent, 'model'), 100_000)).toBeGreaterThan(0);
  }));
