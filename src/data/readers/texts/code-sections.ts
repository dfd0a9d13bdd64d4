import { basename } from 'node:path';
import { fenced } from '../code-fences.js';
import type { SectionedDocument } from '../html-sections.js';

/** Programs by the ending of their file, and what Markdown calls the language. */
const LANGUAGES: Record<string, string> = {
  ...{ '.js': 'js', '.mjs': 'js', '.cjs': 'js', '.jsx': 'jsx', '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' },
  ...{ '.tsx': 'tsx', '.vue': 'vue', '.svelte': 'svelte', '.py': 'python', '.rb': 'ruby', '.php': 'php' },
  ...{ '.go': 'go', '.rs': 'rust', '.java': 'java', '.kt': 'kotlin', '.scala': 'scala', '.swift': 'swift' },
  ...{
    '.c': 'c',
    '.h': 'c',
    '.cc': 'cpp',
    '.cpp': 'cpp',
    '.hpp': 'cpp',
    '.cs': 'csharp',
    '.m': 'objectivec',
  },
  ...{ '.sh': 'sh', '.bash': 'sh', '.ps1': 'powershell', '.sql': 'sql', '.r': 'r', '.jl': 'julia' },
  ...{ '.lua': 'lua', '.pl': 'perl', '.dart': 'dart', '.ex': 'elixir', '.exs': 'elixir', '.erl': 'erlang' },
  ...{ '.hs': 'haskell', '.ml': 'ocaml', '.clj': 'clojure', '.zig': 'zig' },
};

export const CODE_EXTENSIONS: readonly string[] = Object.keys(LANGUAGES);

/** Reads a program as code, which keeps its lines and indentation; its title is the file's name. */
export function codeSections(file: string, content: string, ending: string): SectionedDocument {
  const text = fenced(content, LANGUAGES[ending]);
  // The line before the code's first is not the file's.
  return { title: basename(file), sections: text === '' ? [] : [{ headings: [], text, line: 0 }] };
}
