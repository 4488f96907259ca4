// Handing somebody a file that was made here.
export function save(name: string, parts: BlobPart[], type = 'text/plain'): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(parts, { type }));
    link.download = name;
    link.target = '_blank';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
