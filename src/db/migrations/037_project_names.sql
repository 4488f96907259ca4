-- A tool may be for a project by its name, while no other project of any workspace has it (run_project_name).
CREATE INDEX projects_names ON projects (name);
