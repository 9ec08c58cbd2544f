/**
 * The registry of devices, and users' names for them. A new device is a folder beside the others and a line in
 * `devices`; one for users also gets a name in `backends`. Options, validation and help follow from that.
 */

import { AppError, present } from '../../base/index.js';
import type { Device, DeviceInit, DeviceKind } from '../device.js';
import type { WeightLayout } from '../layout.js';
import { cpu } from './cpu/index.js';
import { dummy } from './dummy/index.js';
import { reference } from './reference/index.js';

export { computeSelfTest } from './cpu/index.js';

/** Every device of this build, by its own name. */
export const devices = { cpu, reference, dummy } as const satisfies Record<string, DeviceKind>;

const kinds: Readonly<Record<string, DeviceKind>> = devices;

/** The name of a device of this build. */
export type DeviceName = keyof typeof devices;

/** A user's choice: `auto` is `cpu`, the WebAssembly kernels. `cuda:N` is the N-th of several. */
export type BackendChoice = 'auto' | 'cpu' | 'reference' | 'cuda' | `cuda:${number}` | 'metal' | 'metal-fp16';

/** A choice without its number. */
type BackendName = Exclude<BackendChoice, `${string}:${number}`>;

interface Backend {
  /** Absent: the name is reserved for a device that this build does not have. */
  readonly device?: DeviceName;
  /** Remark behind the name in help. */
  readonly remark?: string;
  /** A machine may have several; `name:N` selects one. */
  readonly isNumbered?: boolean;
}

/** Names for users, in the order of help. A device without a name here is for programs and tests only. */
const backends: Readonly<Record<BackendName, Backend>> = {
  auto: { device: 'cpu' },
  cpu: { device: 'cpu', remark: 'WASM' },
  reference: { device: 'reference' },
  cuda: { isNumbered: true },
  metal: {},
  'metal-fp16': {},
};

/** The names of `backends`, without numbers. */
export const backendNames: readonly BackendName[] = Object.keys(backends).filter(isBackendName);

/** Names for users, as words. */
export const backendWords = {
  rule: inWords(({ name, isNumbered }) => (isNumbered ? [name, `${name}:N`] : [name])),
  help: inWords(({ name, remark, isNumbered }) => [
    `${name}${isNumbered ? '[:N]' : ''}${remark ? ` (${remark})` : ''}`,
  ]),
} as const;

function isBackendName(name: string): name is BackendName {
  return Object.hasOwn(backends, name);
}

/** Whether `name` may have a device's number after it, as in `name:0`. */
export function isNumberedBackend(name: string): boolean {
  return isBackendName(name) && backends[name].isNumbered === true;
}

/** Whether a user may choose `text`; the device need not exist in this build. */
export function isBackendChoice(text: string): text is BackendChoice {
  const [, name = text, number] = /^(.*):(\d{1,3})$/.exec(text) ?? [];
  return number === undefined ? isBackendName(name) : isNumberedBackend(name);
}

function inWords(toWords: (backend: Backend & { readonly name: string }) => string[]): string {
  const words = backendNames.flatMap((name) => toWords({ name, ...backends[name] }));
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** The device that serves `choice`. Errors: `backend_unavailable`. */
export function selectDevice(choice: BackendChoice): DeviceKind {
  const { device } = isBackendName(choice) ? backends[choice] : {};
  if (device !== undefined) return devices[device];
  throw new AppError(
    'backend_unavailable',
    `backend ${JSON.stringify(choice)} does not exist yet in this build; use cpu (or leave the backend out)`,
    { backend: choice },
  );
}

/** The layout of the device `name`. */
export function layoutOf(name: string): WeightLayout {
  return present(kinds[name], 'a device that this build has').layout;
}

/** The layout that manifests call `name`; undefined for one that this build does not know. */
export function findLayout(name: string): WeightLayout | undefined {
  return Object.values(kinds).find(({ layout }) => layout.name === name)?.layout;
}

/** Opens a device in the thread that will run it: see `DeviceKind.open`. */
export function openDevice(init: DeviceInit, beat: () => void): Device {
  return present(kinds[init.device], 'a device that this build has').open(init, beat);
}
