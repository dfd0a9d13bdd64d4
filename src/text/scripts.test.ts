import { expect, test } from 'vitest';
import { isOtherScript } from './scripts.js';

test.each([
  ['长江是中国最长的河流。', true],
  ['Москва — столица России', true],
  ['القاهرة', true],
  ['แม่น้ำเจ้าพระยา', true],
  ['서울', true],
  ['A guide to the river. 中文 | 日本語', false],
  ['Der Fluß fließt über Köln', false],
  ['使用 npm 安装这个软件包，然后运行测试程序', true],
  ['1984 !?', false],
  ['', false],
])('%s', (text, other) => expect(isOtherScript(text)).toBe(other));
