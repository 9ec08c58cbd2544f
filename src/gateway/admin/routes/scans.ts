import { toTime } from '../../operations/shown-key.js';
import { noveltyOf, planEntries } from '../../discovery/plan-entries.js';
import type { Finding, FoundRuntime } from '../../discovery/finding.js';
import { wellKnownPorts } from '../../discovery/scan.js';
import { AppError } from '../../../base/index.js';
import { diffLines } from '../../config/index.js';
import type { AdminContext } from '../admin-context.js';
import { adminRoute, answer, readIfMatch, unknownResource, type AdminSection } from '../admin-route.js';
import { audited } from '../audited.js';
import { previewEdits, saveEdits, stateOf } from '../files/save-config.js';
import {
  Imported,
  NewScan,
  OneScan,
  ScanEvent,
  ScanImport,
  ScanList,
  type ScanState,
  type WholeScan,
} from '../schemas/scans.js';
import type { ShownFinding } from '../schemas/runtimes.js';
import type { ScanJob } from '../scans/scan-jobs.js';
import { scanEvents } from '../scans/scan-events.js';
import { showFinding } from '../shown.js';
import { eventStream } from '../event-stream.js';

const LIST = '/admin/api/scans';
const ONE = '/admin/api/scans/{id}';
const PLACE = 'GET /admin/api/scans';

const list = adminRoute({
  method: 'GET',
  path: LIST,
  summary: 'Lists the last scans.',
  response: ScanList,
  handle: async ({ context }) =>
    answer({ data: context.scans.list().map(showState), well_known_ports: [...wellKnownPorts] }),
});

const start = adminRoute({
  method: 'POST',
  path: LIST,
  summary: 'Begins to look for runtimes on this machine or in a range. A found server gets no other request.',
  body: NewScan,
  response: OneScan,
  async handle(call) {
    const { context, body } = call;
    const { range, ports, allow_public: allowPublic, timeout_s: timeoutS } = body;
    const event = {
      action: 'scan.start',
      target: `scan:${range ?? 'localhost'}`,
      diff: { ...(ports !== undefined && { ports }), allow_public: allowPublic === true },
    };
    const job = await audited(call, event, () =>
      context.scans.start({
        ...(range !== undefined && { range }),
        ...(ports !== undefined && { ports }),
        ...(allowPublic !== undefined && { allowPublic }),
        ...(timeoutS !== undefined && { timeoutMs: timeoutS * 1_000 }),
      }),
    );
    return answer({ scan: showWhole(job, context) });
  },
});

const show = adminRoute({
  method: 'GET',
  path: ONE,
  summary: 'Shows the progress of a scan, and its findings.',
  response: OneScan,
  handle: async ({ context, params }) => answer({ scan: showWhole(known(params['id'] ?? '', context), context) }),
});

const events = adminRoute({
  method: 'GET',
  path: '/admin/api/scans/{id}/events',
  summary: 'The same as a stream: the findings so far, then each finding and the progress, until the end of the scan.',
  response: ScanEvent,
  event: ScanEvent,
  async handle(call) {
    const { context, params } = call;
    const job = known(params['id'] ?? '', context);
    const showOne = (finding: Finding): ShownFinding => showFinding(finding, noveltyFor(finding, context));
    return eventStream(call, (signal) => scanEvents({ job, scans: context.scans, show: showOne, showState, signal }));
  },
});

const cancel = adminRoute({
  method: 'DELETE',
  path: ONE,
  summary: 'Ends a running scan. Its findings stay.',
  response: OneScan,
  async handle(call) {
    const { context } = call;
    const job = known(call.params['id'] ?? '', context);
    await audited(call, { action: 'scan.cancel', target: `scan:${job.range}` }, () => context.scans.cancel(job.id));
    return answer({ scan: showWhole(job, context) });
  },
});

const take = adminRoute({
  method: 'POST',
  path: '/admin/api/scans/{id}/import',
  summary:
    'Approves findings of a scan, and writes them with their models into gateway.yaml. With preview it only shows the change.',
  changesByEtag: true,
  body: ScanImport,
  response: Imported,
  async handle(call) {
    const { context, body } = call;
    const job = known(call.params['id'] ?? '', context);
    const approved = body.urls.map((url) => knownFinding(url, job));
    const plan = planEntries(approved, context.config());
    const etag = readIfMatch(call);
    const isPreview = body.preview === true;
    const made = isPreview
      ? await previewEdits(context, plan.edits, etag)
      : await saveEdits(call, plan.edits, {
          etag,
          action: 'runtime.import',
          target: `scan:${job.range}`,
          diff: { approved: approved.map(({ url, fingerprint }) => ({ url, fingerprint })) },
        });
    const { in_use, refused } = stateOf(context, made.etag);
    return answer({
      runtimes: [...plan.runtimes],
      models: [...plan.models],
      left_out: plan.numLeftOut,
      config_etag: made.etag,
      diff: diffLines(made.before, made.text),
      written: !isPreview,
      in_use,
      refused,
    });
  },
});

/** Errors: `resource_unknown`. */
function known(id: string, { scans }: AdminContext): ScanJob {
  const job = scans.find(id);
  if (job === undefined) throw unknownResource('scan', id, PLACE);
  return job;
}

/** Approves the finding of the scan, and not the request's description of it. Errors: `invalid_value`. */
function knownFinding(url: string, job: ScanJob): FoundRuntime {
  const finding = job.findings.find((each) => each.url === url);
  if (finding !== undefined && isRuntime(finding)) return finding;
  const message =
    'urls has one that this scan did not find, or that is no runtime; only what has a fingerprint can be imported';
  throw new AppError('invalid_value', message, { param: 'urls' });
}

function isRuntime(finding: Finding): finding is FoundRuntime {
  return finding.state === 'found' || finding.state === 'auth';
}

function noveltyFor(finding: Finding, { config }: AdminContext): ShownFinding['novelty'] {
  return isRuntime(finding) ? noveltyOf(finding, config()) : null;
}

function showState(job: ScanJob): ScanState {
  const { id, range, ports, state, error, startedAtMs, endedAtMs, counts } = job;
  return {
    id,
    range,
    ports: [...ports],
    state,
    error: error ?? null,
    started_at: toTime(startedAtMs),
    ended_at: endedAtMs === undefined ? null : toTime(endedAtMs),
    counts: { ...counts },
  };
}

function showWhole(job: ScanJob, context: AdminContext): WholeScan {
  const findings = job.findings.map((finding) => showFinding(finding, noveltyFor(finding, context)));
  return { ...showState(job), findings, left_out: job.numLeftOut };
}

/** Discovery jobs. */
export const scans: AdminSection = [list, start, show, events, cancel, take];
