module example.com/notes

go 1.24

require example.com/house/markup v1.4.0
