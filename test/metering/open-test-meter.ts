// A meter in a directory of its own, on a clock that the test moves.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogEntry } from '../../src/base/index.js';
import {
  createKeySecret,
  openMeter,
  type AdmitRequest,
  type KeyDefinition,
  type KeyLimits,
  type Meter,
  type MeterOptions,
  type Outcome,
  type RequestRow,
} from '../../src/metering/index.js';
import { HandClock } from '../http/hand-clock.js';

/** Thursday 2026-11-26, noon in UTC. */
export const NOON_MS = Date.UTC(2026, 10, 26, 12);

/** A meter and what it runs on. */
export interface TestMeter extends AsyncDisposable {
  readonly meter: Meter;
  readonly directory: string;
  readonly clock: HandClock;
  readonly entries: LogEntry[];
  /** Milliseconds since 1970 are these and what the clock moved. */
  readonly wall: { ms: number };
  /** Closes the meter and opens the directory again. */
  reopen(): Promise<Meter>;
}

/** Opens one. */
export async function openTestMeter(options: Partial<MeterOptions> = {}): Promise<TestMeter> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'metering-'));
  const clock = new HandClock();
  const entries: LogEntry[] = [];
  const wall = { ms: NOON_MS };
  const open = (): Promise<Meter> =>
    openMeter({
      directory,
      clock,
      now: () => wall.ms + clock.nowMs(),
      log: (entry) => void entries.push(entry),
      retention: { requestDays: 30, auditDays: 365 },
      ...options,
    });
  let meter = await open();
  return {
    directory,
    clock,
    entries,
    wall,
    get meter() {
      return meter;
    },
    async reopen() {
      await meter[Symbol.asyncDispose]();
      meter = await open();
      return meter;
    },
    async [Symbol.asyncDispose]() {
      await meter[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A key of a file, with its secret. */
export function newKey(
  limits: Partial<KeyLimits> = {},
  more: Partial<KeyDefinition> = {},
): KeyDefinition & { readonly secret: string } {
  const { secret, prefix, hash } = createKeySecret('gwk');
  const definition = { id: 'vk_1', name: 'one', prefix, hash, models: null, expiresAtMs: null };
  return { ...definition, limits: { budgets: [], ...limits }, ...more, secret };
}

let made = 0;

/** A small request of `vk_1`. */
export function newRequest(more: Partial<AdmitRequest> = {}): AdmitRequest {
  return { requestId: `r${made++}`, keyId: 'vk_1', model: 'small', promptTokensBound: 10, choices: 1, ...more };
}

/** How a request ended that used this much. */
export function used(promptTokens: number, completionTokens: number, more: Partial<Outcome> = {}): Outcome {
  const counts = { promptTokens, completionTokens, cachedTokens: 0, reasoningTokens: 0 };
  return { ...counts, isEstimated: false, began: true, ...more };
}

/** A row of the request log. */
export function newRow(requestId: string, atMs: number): RequestRow {
  const counts = { promptTokens: 1, completionTokens: 1, reasoningTokens: 0, cachedTokens: 0, isEstimated: false };
  return { ...counts, requestId, atMs, isStream: true, bytesIn: 1, bytesOut: 1, isAborted: false };
}

/** The code of what a promise, or a call, fails with. */
export async function codeOfFailure(call: () => unknown): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
