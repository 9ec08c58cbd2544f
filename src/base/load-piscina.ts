// Loaded only from the installed package: see thread-pool.ts.
export { Piscina } from 'piscina';
