import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarize } from '../statistics.js';
import { barPlot } from './bar-plot.js';
import { boxPlot } from './box-plot.js';
import { linePlot } from './line-plot.js';
import { escapeMarkup } from './markup.js';
import { panelPlot } from './panel-plot.js';
import { formatTick, makeScale } from './scale.js';

const anyNumber = fc.oneof(fc.double(), fc.double({ min: -1e6, max: 1e6 }), fc.constant(0));

describe('scales', () => {
  test('linear ones have round ticks and put the ends at the ends', () => {
    const { at, ticks } = makeScale({ kind: 'linear', values: [0, 97], range: [0, 100] });
    expect(ticks.map(({ label }) => label)).toEqual(['0', '20', '40', '60', '80', '100']);
    expect([at(0), at(50), at(100)]).toEqual([0, 50, 100]);
  });

  test('tight ones end where the values end, with the ticks between', () => {
    const { at, ticks } = makeScale({ kind: 'linear', values: [3, 97], range: [0, 94], tight: true });
    expect([at(3), at(97)]).toEqual([0, 94]);
    expect(ticks.map(({ value }) => value)).toEqual([20, 40, 60, 80]);
  });

  test('logarithmic ones give each factor of ten the same room and pass over what has no logarithm', () => {
    const { at, ticks } = makeScale({ kind: 'log', values: [0, -5, 1, 1000], range: [0, 300] });
    expect(ticks.map(({ value }) => Math.round(value))).toEqual([1, 10, 100, 1000]);
    expect(at(10)).toBeCloseTo(100, 9);
    expect(at(0)).toBe(0);
  });

  test('stay within their range for whatever values there are', () => {
    fc.assert(
      fc.property(
        fc.array(anyNumber, { maxLength: 20 }),
        fc.constantFrom('linear', 'log'),
        (values, kind) => {
          // Beyond these, steps between ticks are no longer doubles.
          const usable = values.filter(
            (value) => !value || (Math.abs(value) < 1e100 && Math.abs(value) > 1e-100),
          );
          const { at, ticks } = makeScale({ kind, values: usable, range: [10, 90] });
          expect(ticks.length).toBeGreaterThan(0);
          expect(ticks.length).toBeLessThan(30);
          for (const value of usable) {
            if (!Number.isFinite(value)) continue;
            expect(at(value)).toBeGreaterThanOrEqual(10 - 1e-6);
            expect(at(value)).toBeLessThanOrEqual(90 + 1e-6);
          }
        },
      ),
    );
  });

  test('ticks are written shortly', () => {
    expect([0, 0.25, 1000, 12_500, 3e6, 1e-6, -40].map(formatTick)).toEqual([
      '0',
      '0.25',
      '1000',
      '12.5k',
      '3M',
      '1e-6',
      '-40',
    ]);
  });
});

describe('figures', () => {
  test('line plots draw each series, its band, marks and names', () => {
    const svg = linePlot({
      title: 'a < b & "c"',
      x: 'step',
      y: 'loss',
      series: [
        { label: 'first', x: [0, 1, 2], y: [1, 2, 3], low: [0, 1, 2], high: [2, 3, 4] },
        { label: 'second', x: [0, 1, 2], y: [3, Number.NaN, 1], draw: 'points' },
      ],
      marks: [{ x: 1, y: 2, label: 'here' }],
      rules: [{ x: 1, label: 'stage' }],
    });
    expect(svg).toContain('a &lt; b &amp; &quot;c&quot;');
    for (const label of ['first', 'second', 'here', 'stage']) expect(svg).toContain(`>${label}</text>`);
    expect(svg.match(/fill-opacity="0.18"/g)).toHaveLength(1);
    expect(svg.match(/M[\d.]+ [\d.]+M/)).not.toBeNull();
  });

  test('panels stand beside and below each other, with one legend and each with its own y', () => {
    const panel = (title: string, y: number[]) => ({
      title,
      series: [
        { label: 'one', x: [0, 10], y },
        { label: 'two', x: [], y: [] },
      ],
    });
    const panels = [panel('top', [1, 2]), panel('middle', [100, 200]), panel('bottom', [1, 2])];
    const svg = panelPlot({ title: 't', x: 'step', y: 'norm', panels });
    expect(svg.match(/>one<\/text>/g)).toHaveLength(1);
    const lines = [...svg.matchAll(/stroke-width="1.6" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/g)];
    const [first, second, third] = lines.map((match) => match.slice(1).map(Number));
    expect(second[0]).toBeGreaterThan(first[2]);
    expect([second[1], second[3]]).toEqual([first[1], first[3]]);
    expect(third[0]).toBe(first[0]);
    expect(third[3]).toBeGreaterThan(first[1]);
    expect(Number(/height="(\d+)"/.exec(svg)![1])).toBeGreaterThan(third[1]);
  });

  test('a series that holds its values has two points for each but the last', () => {
    const plot = {
      title: '',
      x: '',
      y: '',
      series: [{ label: '', x: [0, 1, 2], y: [0, 1, 0], draw: 'steps' as const }],
    };
    const path = /style="fill:none" stroke-width="1.6" d="([^"]+)"/.exec(linePlot(plot))![1];
    expect(path.match(/[ML]/g)).toHaveLength(5);
  });

  test('bars are as long as their values', () => {
    const rows = [
      { label: 'half', values: [0.5] },
      { label: 'all', values: [1] },
      { label: 'none', values: [Number.NaN] },
    ];
    const svg = barPlot({ title: 't', x: 'share', y: '', series: ['only'], rows });
    const widths = [...svg.matchAll(/<rect class="nm-0"[^>]* width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths).toHaveLength(2);
    expect(widths[1] / widths[0]).toBeCloseTo(2, 3);
  });

  test('boxes go from quartile to quartile', () => {
    const rows = [{ label: 'uniform', ...summarize(Array.from({ length: 101 }, (_, i) => i)) }];
    const svg = boxPlot({ title: 't', x: 'value', y: '', rows });
    const [, left, width] = /fill-opacity="0.25" x="([\d.]+)"[^>]* width="([\d.]+)"/.exec(svg)!;
    const [, from, to] = /<line class="nm-0" x1="([\d.]+)" x2="([\d.]+)"/.exec(svg)!.map(Number);
    expect(Number(width) / (to - from)).toBeCloseTo(50 / 80, 2);
    expect(Number(left)).toBeGreaterThan(from);
  });

  test('empty data still make a figure without broken coordinates', () => {
    expect(linePlot({ title: 't', x: 'x', y: 'y', series: [{ label: 'none', x: [], y: [] }] })).not.toMatch(
      /NaN/,
    );
  });

  test('markup in names cannot get out', () => {
    expect(escapeMarkup('<script>&"')).toBe('&lt;script&gt;&amp;&quot;');
  });
});
