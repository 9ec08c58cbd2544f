// Only ever loaded from where the package is installed: see thread-pool.ts.
export { Piscina } from 'piscina';
