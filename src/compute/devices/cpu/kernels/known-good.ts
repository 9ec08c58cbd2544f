/**
 * Builds of V8 on which the whole suite passed with these kernels and every flag of ours: Node 20.20.2, 22.23.3, 24.21.0 and
 * 26.10.0. Whether a flag ends the process is decided by V8's compiler and the module alone, not by the CPU.
 */
const TESTED = ['11.3.244.8-node.38', '12.4.254.21-node.57', '13.6.233.17-node.53', '14.6.202.34-node.34'];

/** Whether the kernels need no trial: a tested build on the platform it was tested on, without V8 options of the user's. */
export function isKnownGood(v8: string, arch: string, platform: string, v8Options: readonly string[]): boolean {
  return TESTED.includes(v8) && arch === 'x64' && platform === 'linux' && v8Options.length === 0;
}
