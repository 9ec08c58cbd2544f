/** How long requests took, in milliseconds. */
export interface Timed {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

/** Sends `rounds` requests one after the other, behind one that is not counted. `request` rejects what is not answered. */
export async function timeRequests(rounds: number, request: (round: number) => Promise<unknown>): Promise<Timed> {
  await request(0);
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const beganMs = performance.now();
    await request(i);
    times.push(performance.now() - beganMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.ceil(share * rounds) - 1] ?? 0;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}

/** A line of a report. */
export function timedLine(name: string, { p50Ms, p95Ms }: Timed): string {
  return `${name}: p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`;
}
