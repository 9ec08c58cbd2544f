#!/usr/bin/env node
// The composition root of `sign_artifact`.
import { startProduct } from '../cli/index.js';
import { signArtifactProduct } from './sign-artifact/product.js';

await startProduct(signArtifactProduct);
