#!/usr/bin/env node
// The composition root of `private-gateway`.
import { startProduct } from '../cli/index.js';
import { privateGateway } from './private-gateway/product.js';

await startProduct(privateGateway);
