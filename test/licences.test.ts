import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Licences that ask for no more than a notice. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache 2.0',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

interface LockedPackage {
  dev?: boolean;
  license?: string;
  /** A folder of this repository, which is not published. */
  link?: boolean;
}

function isPermissive(licence: string): boolean {
  const terms = licence.replaceAll(/[()]/g, '').split(/ OR /);
  return terms.some((term) => term.split(/ AND /).every((part) => PERMISSIVE.has(part.trim())));
}

test('everything that is installed with nearmiss has a permissive licence', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const shipped = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  const licences = shipped.map(([path, locked]) => {
    const own = join(root, path, 'package.json');
    const licence = existsSync(own) ? JSON.parse(readFileSync(own, 'utf8')).license : locked.license;
    return { path, licence: typeof licence === 'string' ? licence : JSON.stringify(licence) };
  });
  expect(licences.length).toBeGreaterThan(50);
  expect(licences.filter(({ licence }) => !isPermissive(licence ?? ''))).toEqual([]);
});

test('a licence with conditions is not taken for a permissive one', () => {
  expect(isPermissive('GPL-3.0')).toBe(false);
  expect(isPermissive('MIT AND LGPL-3.0')).toBe(false);
  expect(isPermissive('(MIT OR GPL-2.0)')).toBe(true);
});
