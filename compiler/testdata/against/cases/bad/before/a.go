package start
