import { readdir, readFile } from 'node:fs/promises';
import type { CheckGroup } from '../check.js';

/** The reason why no device is used. */
const WHY = 'this version computes on the CPU; --backend cuda and --backend metal answer that they do not exist yet';

/** Graphics devices, and why they are not used. */
export const gpu: CheckGroup = {
  section: 'GPU',
  async look() {
    const found = await findDevices();
    if (found.length === 0) return [{ name: 'devices', state: 'ok', text: 'none was found' }];
    return found.map((text) => ({ name: 'device', state: 'note', text: `${text}, not used: ${WHY}` }));
  },
};

/** Sources: the drivers of NVIDIA (/proc/driver/nvidia) and of AMD (/dev/kfd); Linux, Documentation/gpu (card devices). */
async function findDevices(): Promise<string[]> {
  if (process.platform === 'darwin' && process.arch === 'arm64') return ['the GPU of Apple silicon'];
  const nvidia = await readdir('/proc/driver/nvidia/gpus').catch(() => []);
  const names = await Promise.all(
    nvidia.map(async (slot) => {
      const text = await readFile(`/proc/driver/nvidia/gpus/${slot}/information`, 'utf8').catch(() => '');
      return /^Model:\s*(.+)$/m.exec(text)?.[1] ?? 'a GPU of NVIDIA';
    }),
  );
  if (names.length > 0) return names;
  const devices: string[] = await readdir('/dev').catch(() => []);
  if (devices.some((name) => /^nvidia\d+$/.test(name))) return ['a GPU of NVIDIA'];
  if (devices.includes('kfd')) return ['a GPU of AMD'];
  const cards: string[] = await readdir('/dev/dri').catch(() => []);
  return cards.some((name) => name.startsWith('render')) ? ['a graphics device'] : [];
}
