#!/usr/bin/env node
// The composition root of `hosted-api`.
import { startProduct } from '../cli/index.js';
import { hostedApi } from './hosted-api/product.js';

await startProduct(hostedApi);
