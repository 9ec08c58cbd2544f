import { describe, expect, it } from 'vitest';
import {
  backendNames,
  backendWords,
  devices,
  isBackendChoice,
  isNumberedBackend,
  openDevice,
  selectDevice,
} from '../../../src/compute/index.js';

describe('the registry of devices', () => {
  it('has each under its own name', () => {
    for (const [name, kind] of Object.entries(devices)) expect(kind.name).toBe(name);
  });

  it('serves auto and cpu with the CPU, and says what does not exist yet', () => {
    expect(selectDevice('auto')).toBe(devices.cpu);
    expect(selectDevice('cpu')).toBe(devices.cpu);
    expect(selectDevice('reference')).toBe(devices.reference);
    for (const choice of ['cuda', 'cuda:1', 'metal', 'metal-fp16'] as const) {
      const message = `backend "${choice}" does not exist yet in this build; use cpu (or leave the backend out)`;
      const error = { code: 'backend_unavailable', message, details: { backend: choice } };
      expect(() => selectDevice(choice)).toThrow(expect.objectContaining(error));
    }
  });

  it('names for users what they may choose, and not what only shows how a device is made', () => {
    expect(backendWords.rule).toBe('auto, cpu, reference, cuda, cuda:N, metal or metal-fp16');
    expect(backendWords.help).toBe('auto, cpu (WASM), reference, cuda[:N], metal or metal-fp16');
    expect(backendNames.filter((name) => name in devices)).toEqual(['cpu', 'reference']);
    expect(backendNames.filter(isNumberedBackend)).toEqual(['cuda']);
    for (const choice of [...backendNames, 'cuda:0', 'cuda:999']) expect(isBackendChoice(choice), choice).toBe(true);
    for (const choice of ['', 'dummy', 'cuda:', 'cuda:1000', 'cuda:x', 'cpu:0', 'toString', 'CPU', 'cuda:1\n']) {
      expect(isBackendChoice(choice), choice).toBe(false);
    }
  });

  it('opens no device that this build lacks, and none with what another put there', () => {
    expect(() => openDevice({ device: 'abacus' }, () => {})).toThrow('a device that this build has');
    for (const device of Object.keys(devices)) {
      expect(() => openDevice({ device }, () => {})).toThrow('opened with what its own memory gives');
    }
  });
});
