import { describe, expect, it } from 'vitest';
import { readGoldenStreams, writeStream, type GoldenDialect } from './golden-events.js';

describe.each<GoldenDialect>(['responses', 'messages'])('the streams of %s', (name) => {
  const golden = readGoldenStreams(name);

  it('are several', () => {
    expect(golden.length).toBeGreaterThanOrEqual(6);
  });

  it.each(golden.map((one) => [one.name, one] as const))('%s', (_, one) => {
    expect(writeStream(name, one)).toEqual(one.objects);
  });
});
