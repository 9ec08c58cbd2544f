#!/usr/bin/env node
// The composition root of `native-engine`.
import { startProduct } from '../cli/index.js';
import { nativeEngine } from './native-engine/product.js';

await startProduct(nativeEngine);
