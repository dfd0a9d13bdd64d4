import { expect, test } from 'vitest';
import { curlOf } from './curl.js';

test('an address cannot leave the quotes of its command', () => {
  expect(curlOf("http://127.0.0.1:8080/v1/search?q=it's")).toBe(
    "curl 'http://127.0.0.1:8080/v1/search?q=it%27s'",
  );
  expect(curlOf('http://a/v1/search?q=x', { key: true })).toBe(
    "curl -H 'authorization: Bearer KEY' 'http://a/v1/search?q=x'",
  );
});
