// The account page: index.html loads it. Built for browsers by build.mjs; no part of the hosted API imports it.
import { openPage } from './open-page.js';

const place = document.getElementById('page');
if (place !== null) openPage(place);
