/** A host as a URL has it: IPv6 in brackets. */
export function toUrlAuthority(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
