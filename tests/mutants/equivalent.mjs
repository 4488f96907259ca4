// Faults of tools/mutate that change nothing that anybody could see, and why: they are not planted. A line is known by its text,
// since numbers of lines move: { file, kind, line, why }.
export default [];
