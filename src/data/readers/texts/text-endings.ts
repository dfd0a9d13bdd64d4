// Apart from the readers, so that whoever only asks need not load them.

/** The endings of files that hold texts. */
export const TEXT_EXTENSIONS = [
  ...(['.md', '.markdown', '.mdx', '.html', '.htm'] as const),
  ...(['.txt', '.text', '.rst', '.adoc', '.org', '.pdf'] as const),
] as const;

/** The endings of files that hold records: tables and JSON. */
export const RECORD_EXTENSIONS: readonly string[] = ['.json', '.jsonl', '.csv', '.tsv', '.xlsx'];

/** Programs by the ending of their file, and what Markdown calls the language. */
export const CODE_LANGUAGES: Readonly<Record<string, string>> = {
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

export const CODE_EXTENSIONS: readonly string[] = Object.keys(CODE_LANGUAGES);

export function isTextFile(ending: string): boolean {
  return (TEXT_EXTENSIONS as readonly string[]).includes(ending);
}

export function isRecordFile(ending: string): boolean {
  return RECORD_EXTENSIONS.includes(ending);
}
